/** Limits of API requests. The command line and the workers also use these limits. */

/** Maximum size of `bodyMd`, in bytes of UTF-8. */
export const maxBodyMdBytes = 1_048_576;

/** Maximum overlap of a rotated key or webhook secret, in hours (720 hours = 30 days). */
export const maxOverlapHours = 720;
