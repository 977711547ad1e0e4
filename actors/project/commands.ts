/** What the commands of API requests do; each in the file of its noun. */
import type { Database } from '../../storage/mod.ts'
import { Token } from '../../storage/mod.ts'
import { isCrmCommand } from '../crm/command_wants.ts'
import { runCrmCommand } from '../crm/commands.ts'
import type { Providers } from '../providers/mod.ts'
import type { ProjectTurn } from './events.ts'
import type { ClaimOperation } from './operations.ts'
import type { CommandResult, ProjectCommand } from './request.ts'
import { sendMessage } from './send_message.ts'
import { sendRaw } from './send_raw.ts'
import {
  createWebhook,
  deleteWebhook,
  recoverWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts'

/** What commands use beside their turn. */
export type CommandContext = { database: Database; providers: Providers }

/** Runs a command in its project's turn. Throws `Refusal` before it has changed anything. */
export function runCommand(
  turn: ProjectTurn,
  command: Exclude<ProjectCommand, ClaimOperation>,
  token_id: string,
  { database, providers }: CommandContext,
): CommandResult {
  if (isCrmCommand(command)) return runCrmCommand(turn, command, token_id)
  switch (command.type) {
    case 'read_identity':
      return readIdentity(turn, token_id)
    case 'revoke_token':
      return revokeToken(turn, token_id)
    case 'send_message':
      return sendMessage(turn, command, providers)
    case 'send_raw':
      return sendRaw(turn, command, providers)
    case 'create_webhook':
      return createWebhook(turn, command, token_id, database)
    case 'update_webhook':
      return updateWebhook(turn, command, database)
    case 'delete_webhook':
      return deleteWebhook(turn, command)
    case 'rotate_webhook_secret':
      return rotateWebhookSecret(turn, command, database)
    case 'test_webhook':
      return testWebhook(turn, command)
    case 'redeliver_webhook':
      return redeliverWebhook(turn, command)
    case 'recover_webhook':
      return recoverWebhook(turn, command)
  }
}

/** Answers hold a secret that is shown only once; kept for replays, it is kept sealed. */
export function answersSecret(command: ProjectCommand): boolean {
  return command.type === 'create_webhook' || command.type === 'rotate_webhook_secret'
}

function readIdentity(turn: ProjectTurn, token_id: string): CommandResult {
  const cached = turn.state.identities.get(token_id)
  if (cached) return { json: cached }
  const json = JSON.stringify(turn.records.identities.get(token_id))
  turn.state.identities.set(token_id, json)
  return { json }
}

function revokeToken(turn: ProjectTurn, token_id: string): CommandResult {
  turn.update(Token, { _id: token_id }, { revoked_at: turn.now, updated_at: turn.now })
  turn.state.tokens.delete(token_id)
  turn.state.identities.delete(token_id)
  return {}
}
