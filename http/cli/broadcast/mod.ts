import type { Command } from 'commander'
import { addLookCommands } from './look.ts'
import { addSendCommand } from './send.ts'
import { addWatchCommand } from './watch.ts'

export function addBroadcastCommands(program: Command): void {
  const broadcast = program
    .command('broadcast')
    .summary('send a template to many people, see what becomes of it')
    .description('Sends message templates to many people at once, over WhatsApp’s Cloud API.')
  addSendCommand(broadcast)
  addWatchCommand(broadcast)
  addLookCommands(broadcast)
}
