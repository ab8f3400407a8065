/**
 * The shape of a cluster's identity. It contains everything that all nodes must have in common. Secrets are contained as
 * fingerprints only.
 */
import { type Static, Type } from '@sinclair/typebox';

const Fingerprint = Type.String();

export const IdentitySchema = Type.Object({
  /** Id of the cluster. */
  cluster: Type.String(),
  /** Number of repository partitions. */
  partitions: Type.Integer(),
  /** Fingerprint of the key of digests. All other fingerprints are keyed by it. */
  digestKey: Fingerprint,
  /** Fingerprints of the sealing keys: the key in use, followed by former keys. */
  sealingKeys: Type.Array(Fingerprint),
  /** Fingerprints of the webhook secrets of the settings or the data directory. */
  webhookSecrets: Type.Array(Fingerprint),
  adminKey: Fingerprint,
});
export type Identity = Static<typeof IdentitySchema>;
