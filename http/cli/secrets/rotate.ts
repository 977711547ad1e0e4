import { RotationRefused, rotateSecrets, VaultError } from '../../../storage/mod.ts'
import { auditCommand, withOwnPlace } from '../own_place.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { untilInterrupted } from '../terminal/interrupt.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine } from '../terminal/terminal.ts'

/** @throws {CommandFailure} when it may not begin, was stopped, or some values do not open */
export async function rotate({ json }: { json?: boolean }): Promise<void> {
  const progress = new Progress()
  const result = await untilInterrupted((signal) =>
    withOwnPlace(async ({ database }) => {
      try {
        const progressed = (done: number, total: number) => progress.show(done, total)
        const result = await rotateSecrets(database, { signal, progress: progressed })
        const { key_id: sealed_with, resealed, unopened } = result
        await auditCommand(database, 'rotate_secrets', { sealed_with, resealed, unopened })
        return result
      } catch (error) {
        progress.clear()
        if (signal.aborted) throw new CommandFailure('Stopped. Run `parley secrets rotate` again to continue.')
        if (error instanceof RotationRefused || error instanceof VaultError) throw new CommandFailure(error.message)
        throw error
      }
    }),
  )
  progress.clear()
  const { key_id, resealed, unopened, examples } = result
  if (json) printJson(result)
  else printLine(`${resealed} ${resealed === 1 ? 'value was' : 'values were'} encrypted with the key ${key_id}.`)
  if (unopened === 0) {
    if (!json) printLine('`parley secrets status` says which secrets may be dropped from PARLEY_SECRET.')
    return
  }
  const lines = examples.map(({ table, reason }) => `  ${table}: ${reason}.`)
  throw new CommandFailure(
    json ? '' : [`${unopened} values could not be read and stay as they are:`, ...lines].join('\n'),
  )
}
