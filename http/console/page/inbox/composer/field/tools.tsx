/** The tools below the field: files, other kinds of messages, emoji, canned responses. */
import type { RefObject, TargetedEvent } from 'preact'
import type { Composing } from '../../../records/definitions.ts'
import { useActions } from '../../../ui/actions.ts'
import { useElement } from '../../../ui/hooks.ts'
import { lazy } from '../../../ui/lazy.tsx'
import { Menu } from '../../../ui/overlays/menu.tsx'
import { Popover } from '../../../ui/overlays/popover.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ComposeProps } from '../compose_props.ts'
import { FORMS, openForm } from '../forms.ts'
import { SuggestButton } from '../suggested/suggest_button.tsx'
import { insertAt } from '../triggers.ts'

const Emoji = lazy(() => import('./emoji.tsx').then((module) => module.Emoji))

const FILES: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker']

export function Tools({
  project,
  compose,
  field,
  suggest,
}: ComposeProps & { field: RefObject<HTMLTextAreaElement>; suggest(kind: '/' | '@'): void }) {
  const picker = useElement<HTMLInputElement>()
  const is_reply = compose.mode.value === 'reply'
  const composing = compose.channel.value.channel?.composing
  const types: Composing['message_types'] = composing?.message_types ?? {}
  const takes_files = !is_reply || FILES.some((type) => types[type])
  const forms = FORMS.filter(({ type }) => types[type])
  useActions(() => {
    const attach = {
      text: 'Attach files',
      group: 'Ticket',
      icon: 'attach' as const,
      act: () => picker.current?.click(),
    }
    if (!is_reply) return [attach]
    return [
      attach,
      ...forms.map(({ type, text, icon }) => ({
        text: `Insert: ${text}`,
        group: 'Ticket',
        icon,
        act: () => openForm(compose, type),
      })),
    ]
  }, [compose, is_reply, forms.length])
  const insert = (text: string) => {
    const { selectionStart: start, selectionEnd: end, value } = field.current
    const inserted = insertAt(value, { start, end }, text)
    compose.write(inserted.text)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(inserted.caret, inserted.caret)
    })
  }
  const picked = ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    compose.files.add([...(currentTarget.files ?? [])])
    currentTarget.value = ''
    field.current.focus()
  }
  return (
    <div class="composer-tool-row">
      {takes_files && (
        <>
          <button
            type="button"
            class="quiet icon-button"
            aria-label="Attach files"
            title="Attach files"
            onClick={() => picker.current.click()}
          >
            <Icon name="attach" />
          </button>
          <input
            ref={picker}
            type="file"
            class="aside"
            tabindex={-1}
            aria-label="Files"
            multiple
            accept={is_reply ? composing?.file_types?.map(({ mime_type }) => mime_type).join(',') : undefined}
            onChange={picked}
          />
        </>
      )}
      {is_reply && forms.length > 0 && (
        <Menu
          id="composer-insert"
          label="Insert"
          title="Insert a template, buttons, a location…"
          side="above"
          class="quiet icon-button"
          button={<Icon name="plus" />}
          items={forms.map(({ type, text, icon }) => ({ text, icon, act: () => openForm(compose, type) }))}
        />
      )}
      <Popover
        id="composer-emoji"
        label="Emoji"
        title="Emoji"
        side="above"
        class="quiet icon-button"
        button={<Icon name="smile" />}
      >
        {(close) => (
          <Emoji
            onChoose={(emoji) => {
              close()
              insert(emoji)
            }}
          />
        )}
      </Popover>
      <button
        type="button"
        class="quiet icon-button"
        aria-label="Canned responses"
        title="Canned responses (/)"
        onClick={() => suggest('/')}
      >
        <Icon name="message" />
      </button>
      {is_reply && <SuggestButton project={project} compose={compose} />}
      {!is_reply && (
        <button
          type="button"
          class="quiet icon-button composer-at"
          aria-label="Mention a colleague"
          title="Mention a colleague (@)"
          onClick={() => suggest('@')}
        >
          @
        </button>
      )}
    </div>
  )
}
