/** The versions of a block, which are kept for ever: each is read, and taken into the field again. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.ts'
import { Resource } from '../../data/resource.ts'
import type { AttachedBlock, BlockVersionSummary } from '../../records/assistant.ts'
import type { Fault } from '../../records/fault.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { Assistants } from '../assistants.ts'
import { textOf } from '../content_text.ts'
import { blockName } from '../words.ts'

const PAGE = 20

export function VersionsDialog({
  assistants,
  block,
  onTake,
  onClose,
}: {
  assistants: Assistants
  block: AttachedBlock
  /** Puts a text into the field, where the agent may write. */
  onTake: ((text: string) => void) | undefined
  onClose(): void
}) {
  const [shown, setShown] = useState(PAGE)
  const [read, setRead] = useState<{ id: string; text: string } | null>(null)
  const [read_fault, setReadFault] = useState<Fault | null>(null)
  const list = useMemo(
    () => new Resource(() => assistants.api.versions(block._id, { limit: shown, offset: 0 })),
    [block._id, shown],
  )
  useEffect(() => void list.read(), [list])
  const { value, fault } = list.state.value
  const show = async ({ _id }: BlockVersionSummary) => {
    setReadFault(null)
    try {
      setRead({ id: _id, text: textOf(await assistants.api.version(block._id, _id)) })
    } catch (error) {
      setReadFault(faultOf(error))
    }
  }
  return (
    <Dialog title={`Versions of ${blockName(block)}`} has_close class="assistant-versions" onClose={onClose}>
      {fault && <Trouble title="The versions could not be loaded" error={fault} onRetry={() => list.read()} />}
      {!value && !fault && <Waiting label="Loading the versions" rows={3} />}
      {value?.data.length === 0 && <p>Nothing was saved yet.</p>}
      <ol class="assistant-version-list">
        {value?.data.map((version) => (
          <li key={version._id}>
            <button
              type="button"
              class="quiet"
              aria-expanded={read?.id === version._id}
              onClick={() => (read?.id === version._id ? setRead(null) : show(version))}
            >
              <Moment at={version.created_at} />
            </button>
            {version._id === block.current_version_id && <span class="badge completed">Current</span>}
            {read?.id === version._id && (
              <div class="assistant-version">
                <pre aria-label="Text of the version" tabindex={0}>
                  {read.text === '' ? '(empty)' : read.text}
                </pre>
                {onTake && version._id !== block.current_version_id && (
                  <button
                    type="button"
                    class="button"
                    onClick={() => {
                      onTake(read.text)
                      onClose()
                    }}
                  >
                    Take this text
                  </button>
                )}
              </div>
            )}
          </li>
        ))}
      </ol>
      {read_fault && <Trouble title="The version could not be loaded" error={read_fault} />}
      {value?.has_more && (
        <button type="button" class="button" onClick={() => setShown(Math.min(shown + 60, 200))}>
          Show more
        </button>
      )}
    </Dialog>
  )
}
