// The largest response that is read.

/** In MiB. */
export const maxBodyMebibytes = 1;

/** In KiB. Gateways add cookies and policies beyond the 16 KiB that Node.js accepts. */
export const maxHeaderKibibytes = 64;
