"""The same programs without an SDK and without Pulumi's language host for Python.

    python inline.py [-C consumer] preview|up|refresh|destroy
"""

import argparse
import sys
from collections.abc import Sequence

import pulumi
from pulumi import automation


class Webhook(pulumi.CustomResource):
    """A webhook subscription of a database."""

    secret: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        database_id: pulumi.Input[str],
        url: pulumi.Input[str],
        events: pulumi.Input[Sequence[str]],
        table_id: pulumi.Input[str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        arguments = {
            "databaseId": database_id,
            "url": url,
            "events": events,
            "tableId": table_id,
            # An output: Pulumi fills it.
            "secret": None,
        }
        super().__init__("dbwebhooks:index:Webhook", name, arguments, opts)


def webhooks() -> None:
    orders = Webhook(
        "orders",
        database_id="base_abc123",
        table_id="tbl_orders",
        url="https://example.com/hooks/orders",
        events=["record.created", "record.updated"],
    )

    # Another account at the same service.
    api_key = pulumi.Config().require_secret("warehouseApiKey")
    warehouse = pulumi.ProviderResource("dbwebhooks", "warehouse", {"apiKey": api_key})
    stock = Webhook(
        "stock",
        database_id="base_stock",
        url="https://example.com/hooks/stock",
        events=["record.updated"],
        opts=pulumi.ResourceOptions(provider=warehouse),
    )

    pulumi.export("ordersSecret", orders.secret)
    pulumi.export("stockSecret", stock.secret)


def consumer() -> None:
    producer = pulumi.StackReference(f"organization/dbwebhooks-python/{pulumi.get_stack()}")

    # The whole text is a secret, because it contains one.
    secret = producer.require_output("ordersSecret")
    pulumi.export("receiverEnv", pulumi.Output.concat("ORDERS_WEBHOOK_SECRET=", secret))


programs = {".": ("dbwebhooks-python", webhooks), "consumer": ("dbwebhooks-python-consumer", consumer)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-C", dest="directory", choices=programs, default=".")
    parser.add_argument("command", choices=["preview", "up", "refresh", "destroy"])
    choice = parser.parse_args()

    project, program = programs[choice.directory]
    stack = automation.create_or_select_stack(
        stack_name="dev",
        project_name=project,
        program=program,
        opts=automation.LocalWorkspaceOptions(work_dir=choice.directory),
    )
    try:
        getattr(stack, choice.command)(on_output=print, on_error=print_error)
    except automation.CommandError:
        # Pulumi has printed what is wrong.
        sys.exit(1)


def print_error(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
