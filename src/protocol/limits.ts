/** Limits of requests and of captured data. The API, the intake, the command line and the workers use these limits. */

/** Maximum size of `bodyMd`, in bytes of UTF-8. */
export const maxBodyMdBytes = 1_048_576;

/** Highest number that a pull request or issue can have. */
export const maxNumber = 2_147_483_647;

/** Default time for which an old key or webhook secret is still accepted after a rotation, in hours. */
export const usualOverlapHours = 24;

/** Maximum overlap of a rotated key or webhook secret, in hours (720 hours = 30 days). */
export const maxOverlapHours = 720;
