/**
 * Pulumi's provider process evaluates this text and stores it with every webhook. It never changes:
 * an upgrade of this package then changes no state, and the new code handles webhooks from an old
 * state.
 */
export const providerText = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';
