/** Invitations of users to the console. */
import * as v from 'valibot'
import { type MailProtocol, named, userInvitedMail } from '../../../actors/mod.ts'
import { type Address, Refusal } from '../../../runtime/mod.ts'
import { type Invited, inviteUser, takeBackInvitation, type User } from '../../../storage/mod.ts'
import { hashOf, newSecret } from '../../server/auth/cookie.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { objectId, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained } from '../records.ts'

const permission = 'console.agent'

export type Invitations = {
  /** Public address of the API, which has the console. */
  base_url: string
  /** The installation has a mail server. */
  is_mailed: boolean
}

const record = named(
  'Invitation',
  v.object({
    user_id: objectId,
    email: v.string(),
    is_mailed: v.pipe(v.boolean(), v.description('An e-mail with the link is on its way to the user')),
    url: v.pipe(
      v.nullable(v.string()),
      v.description('The link, to hand over, where the installation has no mail server; null where it is mailed'),
    ),
    expires_at: timestamp,
  }),
)

export function invitationRoute({ base_url, is_mailed }: Invitations): Route {
  return operatorRoute({
    method: 'POST',
    path: '/admin/v1/users/:id/invite',
    operation: 'invite_user',
    summary: 'Invite a user without a password to the console; an earlier invitation of the user ends',
    description:
      'The user gets an e-mail with a link, chooses a password there and is signed in. The link works once and for 72 ' +
      'hours. Without a mail server (PARLEY_SMTP_URL) the answer has the link: hand it over yourself.',
    status: 201,
    response: record,
    errors: ['NOT_FOUND', 'USER_HAS_PASSWORD', 'USER_INACTIVE', 'USER_LACKS_PERMISSION', 'INVITATION_THROTTLED'],
    answers_secret: true,
    async change({ params }, { database, runtime }) {
      const secret = newSecret()
      const hash = hashOf(secret)
      const invited = await explained(inviteUser(database, params.id, hash, mayBeInvited))
      const { email, _id } = invited.user
      // The part behind the # stays in the browser: no log has it.
      const url = `${base_url}/console#/invitation/${secret}?${new URLSearchParams({ email })}`
      if (is_mailed) {
        await mail(runtime, invited, url).catch(async (error) => {
          await takeBackInvitation(database, hash)
          throw error
        })
      }
      return { user_id: _id, email, is_mailed, url: is_mailed ? null : url, expires_at: invited.expires_at }
    },
  })
}

/** Named after the invitation, so that a repeat sends no second mail. */
async function mail(
  runtime: RequestContext['runtime'],
  { user, company_name, expires_at }: Invited,
  url: string,
): Promise<void> {
  const actor: Address<MailProtocol> = `mail/invitation.${user._id}.${expires_at.getTime()}`
  const text = userInvitedMail({ full_name: user.full_name, company_name, url, expires_at })
  await runtime.ask(actor, { type: 'send', to: user.email, ...text }, { repeatable: true })
}

function mayBeInvited({ _id, password_hash, is_active, permissions }: User): void {
  const details = { user_id: _id }
  if (!is_active) throw new Refusal('USER_INACTIVE', { details })
  if (!permissions.includes(permission)) {
    throw new Refusal('USER_LACKS_PERMISSION', { details: { ...details, permission } })
  }
  if (password_hash) throw new Refusal('USER_HAS_PASSWORD', { details })
}
