/** A process of what test files share. It ends with the run that started it. */
import type { Owner } from '../support/mod.ts'

/** Tells the run what `start` resolves to, and undoes its work when the run has ended. Ends the process. */
export async function shareUntilTheEnd(start: (t: Owner) => Promise<object>): Promise<never> {
  const undo: (() => unknown)[] = []
  // The run may end while this process starts.
  const ended = new Promise<void>((resolve) => process.once('disconnect', resolve))
  const shared = await start({ teardown: (one) => undo.push(one) })
  if (process.connected) process.send!(shared)
  await ended
  for (const one of undo.reverse()) await one()
  process.exit(0)
}
