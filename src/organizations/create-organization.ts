import { newId } from '../db/id.ts';
import type { Trx } from '../db/open-database.ts';

export type Organization = { id: string; name: string };

export async function createOrganization(trx: Trx, name: string): Promise<Organization> {
  const organization = { id: newId(), name };
  await trx.insertInto('organizations').values(organization).execute();
  return organization;
}
