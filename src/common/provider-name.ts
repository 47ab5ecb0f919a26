/**
 * Whether Pulumi gives this name to a default provider: `default`, and the version or the address
 * of the plugin behind it, such as `default_1_2_3` or `default_https_/…`
 * (`ProviderRequest.DefaultName` in `pkg/resource/deploy/providers` of pulumi/pulumi).
 */
export function isDefaultProviderName(name: string): boolean {
  return /^default($|_\d+_\d+_\d+|_\w+_\/)/.test(name);
}
