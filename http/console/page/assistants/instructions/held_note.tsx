/** A version of a block that is held: nobody meets it until it is released, by an agent or by its test set. */

import { useEffect, useState } from 'preact/hooks'
import type { AttachedBlock } from '../../records/assistant.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { useAction } from '../../ui/hooks.ts'
import { toast, toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { textOf } from '../content_text.ts'
import type { PartProps } from '../part.ts'
import { blockName } from '../words.ts'

export function HeldNote({ assistants, open, block }: PartProps & { block: AttachedBlock }) {
  const { held_version: held } = block
  const set = open.tests.list.value?.find(({ _id }) => _id === held?.test_set_id)
  const [text, setText] = useState<string | null>(null)
  useEffect(() => setText(null), [held?.version_id])
  useEffect(() => {
    if (held?.test_set_id && !open.tests.list.state.peek().value) void open.tests.list.read()
  }, [held?.test_set_id])
  const name = blockName(block)
  const change = (act: () => Promise<unknown>, said: string, failed: string) => async () => {
    try {
      await act()
      toast(said)
    } catch (error) {
      toastFault(failed, error as Error)
    }
    await open.assistant.read()
    await open.content(block).read()
  }
  const releasing = useAction(
    change(
      () => assistants.api.release(block._id, held!.version_id),
      `“${name}” has the version that was held.`,
      'It was not released',
    ),
  )
  const discarding = useAction(
    change(
      () => assistants.api.discardHeld(block._id),
      'It is not held any more. It stays among the versions.',
      'It is still held',
    ),
  )
  if (!held) return null
  const read = async () => {
    try {
      setText(textOf(await assistants.api.version(block._id, held.version_id)))
    } catch (error) {
      toastFault('The version could not be loaded', error as Error)
    }
  }
  return (
    <section class="assistant-held" aria-label="Held version">
      <p class="note">
        <Icon name="snooze" />
        <span>
          A version of <Moment at={held.created_at} /> is held
          {held.test_set_id ? ` until the test set ${set ? `“${set.name}”` : 'of its'} passes with it` : ''}. People
          meet the text below.
        </span>
      </p>
      <div class="actions">
        <button
          type="button"
          class="button"
          aria-expanded={text !== null}
          onClick={() => (text === null ? read() : setText(null))}
        >
          {text === null ? 'Read it' : 'Hide it'}
        </button>
        {assistants.may_manage && (
          <>
            <button type="button" class="button" aria-busy={releasing.is_busy} onClick={releasing.run}>
              Release
            </button>
            <button type="button" class="button" aria-busy={discarding.is_busy} onClick={discarding.run}>
              Hold no more
            </button>
          </>
        )}
      </div>
      {text !== null && (
        <pre aria-label="Text of the held version" tabindex={0}>
          {text}
        </pre>
      )}
    </section>
  )
}
