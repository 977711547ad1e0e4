/** The account of a provider that a channel is connected to. */
import type { Account } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'

/** The account in the form that its adapter takes. */
export function accountOf({ id, name, provider_account_id, credentials }: ProjectChannel): Account {
  return { channel_id: id, name, provider_account_id, credentials }
}

/** True when the Flows of one channel can be sent through the other: the account holds them. */
export function sharesFlows({ credentials: one }: ProjectChannel, { credentials: other }: ProjectChannel): boolean {
  return one.business_account_id === other.business_account_id
}

/**
 * True when both channels belong to the account that holds templates and Flows, and share the secret that signs its
 * webhooks.
 */
export function isSameAccount(one: ProjectChannel, other: ProjectChannel): boolean {
  const { business_account_id } = one.credentials
  return (
    one.channel_type === other.channel_type &&
    business_account_id !== undefined &&
    business_account_id === other.credentials.business_account_id &&
    isSameApp(one, other)
  )
}

/**
 * True when both channels have the same secret. A signature proves only the secret of one channel, so it counts for
 * another only then.
 */
export function isSameApp({ credentials: one }: ProjectChannel, { credentials: other }: ProjectChannel): boolean {
  return one.app_secret !== undefined && one.app_secret === other.app_secret
}
