/** The content of a block: written, saved, compared with what somebody else saved, and its earlier versions. */

import { useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import type { AttachedBlock } from '../../records/assistant.ts'
import { useActions } from '../../ui/actions.ts'
import { Menu } from '../../ui/overlays/menu.tsx'
import { toast, toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import { blockName } from '../words.ts'
import { BlockConflict } from './block_conflict.tsx'
import { HeldNote } from './held_note.tsx'
import { HoldDialog } from './hold_dialog.tsx'
import { RenameDialog } from './rename_dialog.tsx'
import { VersionsDialog } from './versions_dialog.tsx'

const MOST = 100_000

export function BlockEditor(props: PartProps & { block: AttachedBlock }) {
  const { assistants, open, block } = props
  const content = open.content(block)
  const [asked, ask] = useState<'versions' | 'rename' | 'hold' | null>(null)
  const name = blockName(block)
  const can_write = assistants.may_manage && block.content_writable
  const is_dirty = content.is_dirty.value
  const fault = content.fault.value
  const save_fault = content.save_fault.value
  const save = async () => {
    if (await content.save()) {
      toast(`“${name}” is saved.`)
      void open.assistant.read()
    }
  }
  const detach = async () => {
    try {
      await open.detach(block._id)
      toast(`“${name}” is off the prompt. It stays in the catalogue.`, { undo: () => void open.attach(block._id) })
      location.hash = assistantsPlace(assistants.project_id, open.id)
    } catch (error) {
      toastFault(`“${name}” was not taken off`, error as Error)
    }
  }
  useActions(
    () =>
      can_write
        ? [
            {
              text: 'Save the block',
              group: 'Assistant',
              icon: 'done',
              keys: 'mod+s',
              while_typing: true,
              act: () => void save(),
            },
          ]
        : [],
    [content, can_write],
  )
  return (
    <section class="card assistant-editor" aria-labelledby="assistant-block">
      <div class="assistant-editor-head">
        <h2 id="assistant-block">
          <bdi>{name}</bdi>
        </h2>
        <div class="actions">
          {can_write && is_dirty && !content.theirs.value && (
            <button type="button" class="button" onClick={() => content.discard()}>
              Discard
            </button>
          )}
          {can_write && (
            <button
              type="button"
              class="button primary"
              disabled={!is_dirty || content.theirs.value !== null}
              aria-busy={content.is_saving.value}
              onClick={save}
            >
              {content.is_saving.value ? 'Saving…' : 'Save'}
            </button>
          )}
          <Menu
            id="block-more"
            class="button icon-button"
            label="More about the block"
            button={<Icon name="more" />}
            items={[
              { text: 'Versions…', icon: 'clock', act: () => ask('versions') },
              ...(can_write
                ? [{ text: 'Save and hold…', icon: 'snooze' as const, is_off: !is_dirty, act: () => ask('hold') }]
                : []),
              ...(assistants.may_manage
                ? [
                    { text: 'Rename…', icon: 'edit' as const, act: () => ask('rename') },
                    'line' as const,
                    { text: 'Take it off the prompt', icon: 'close' as const, act: () => void detach() },
                  ]
                : []),
            ]}
          />
        </div>
      </div>
      {!block.content_writable && (
        <p class="note">
          <Icon name="lock" /> <span>Operators write this block. Here it is read, moved and taken off.</span>
        </p>
      )}
      <HeldNote {...props} />
      <div role="alert">
        {save_fault && (
          <p class="note bad">
            <Icon name="alert" /> It was not saved. {errorText(save_fault)}
          </p>
        )}
      </div>
      {content.theirs.value && (
        <BlockConflict
          content={content}
          theirs={content.theirs.value.text}
          onSaved={() => {
            toast(`“${name}” is saved.`)
            void open.assistant.read()
          }}
        />
      )}
      {fault && <Trouble title="The content could not be loaded" error={fault} onRetry={() => content.read()} />}
      {!fault && !content.stored.value && <Waiting label="Loading the content" rows={3} />}
      {content.stored.value && (
        <>
          <textarea
            aria-label={`Content of ${name}`}
            aria-describedby="assistant-conventions"
            maxlength={MOST}
            readonly={!can_write}
            spellcheck
            placeholder={can_write ? 'Write what the assistant should know or do…' : 'Nothing is written here.'}
            value={content.text.value}
            onInput={({ currentTarget }) => content.type(currentTarget.value)}
          ></textarea>
          <p id="assistant-conventions" class="faint">
            <code>- </code> begins a bullet, <code>1. </code> a number, <code># </code> a heading; two spaces more
            belong to the line above. Other assistants with this block follow it, too.
          </p>
        </>
      )}
      {asked === 'versions' && (
        <VersionsDialog
          assistants={assistants}
          block={block}
          onTake={can_write ? (text) => content.type(text) : undefined}
          onClose={() => ask(null)}
        />
      )}
      {asked === 'hold' && (
        <HoldDialog
          open={open}
          hold={async (test_set_id) => {
            await content.hold(test_set_id)
            await open.assistant.read()
          }}
          onClose={() => ask(null)}
        />
      )}
      {asked === 'rename' && (
        <RenameDialog
          block={block}
          rename={async (wanted) => {
            await assistants.api.renameBlock(block._id, wanted)
            await open.assistant.read()
          }}
          onClose={() => ask(null)}
        />
      )}
    </section>
  )
}
