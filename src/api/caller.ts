/** Who is asking, as their key says. Nothing in a request's body or other headers changes it. */
export type RootCaller = { role: 'root'; keyId: 'root'; orgId: string };
export type AdminCaller = { role: 'admin'; keyId: string; orgId: string };
export type EntityCaller = { role: 'entity'; keyId: string; orgId: string; entityId: string };

/** Someone inside one organisation. */
export type OrgCaller = AdminCaller | EntityCaller;
export type Caller = RootCaller | OrgCaller;

// The root key belongs to no organisation; its idempotency keys live under the nil UUID.
export const ROOT: RootCaller = { role: 'root', keyId: 'root', orgId: '00000000-0000-0000-0000-000000000000' };
