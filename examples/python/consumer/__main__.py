"""The settings of the receiver, with the secret of the other stack."""

import pulumi

producer = pulumi.StackReference(f"organization/dbwebhooks-python/{pulumi.get_stack()}")

# The whole text is a secret, because it contains one.
pulumi.export(
    "receiverEnv",
    pulumi.Output.concat("ORDERS_WEBHOOK_SECRET=", producer.require_output("ordersSecret")),
)
