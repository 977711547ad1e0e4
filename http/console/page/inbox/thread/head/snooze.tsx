/** Snoozing the ticket: it comes back at its time, or when the person writes. */
import type { TargetedKeyboardEvent } from 'preact'
import { momentText } from '../../../crm/entry/moments.ts'
import { faultOf } from '../../../data/errors.ts'
import { useActions } from '../../../ui/actions.ts'
import { exactly } from '../../../ui/format/format.ts'
import { move } from '../../../ui/overlays/menu.tsx'
import { Popover } from '../../../ui/overlays/popover.tsx'
import { toast, toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { MomentChoice } from '../../composer/later/moment_choice.tsx'
import type { ThreadProps } from '../thread_props.ts'

export function Snooze({ project, inbox, thread }: Omit<ThreadProps, 'console'>) {
  const { ticket_id } = thread
  const row = inbox.list.value?.row(ticket_id)?.value
  const is_closed = thread.ticket.value?.is_closed ?? true
  const is_snoozed = row?.snoozed_at != null
  const path = `inbox/tickets/${ticket_id}/snooze`
  const show = ({ snoozed_at, snoozed_until }: { snoozed_at: string | null; snoozed_until: string | null }) =>
    inbox.list.peek()?.change(ticket_id, (row) => ({ ...row, snoozed_at, snoozed_until }))
  const wake = () =>
    project.api.delete(path).then(show, (error) => toastFault('The ticket is still snoozed', faultOf(error)))
  const snooze = (until: Date | null) =>
    project.api.post(path, until ? { until: until.toISOString() } : {}).then(
      (times) => {
        show(times)
        toast(until ? `Snoozed: ${momentText(until)}.` : 'Snoozed until the person writes.', {
          undo: () => void wake(),
        })
      },
      (error) => toastFault('The ticket was not snoozed', faultOf(error)),
    )
  useActions(
    () =>
      is_closed
        ? []
        : [
            is_snoozed
              ? { text: 'End the snooze', group: 'Ticket', icon: 'snooze', keys: 'z', act: () => void wake() }
              : {
                  text: 'Snooze',
                  group: 'Ticket',
                  icon: 'snooze',
                  keys: 'z',
                  act: () => document.getElementById('snooze')?.showPopover(),
                },
          ],
    [ticket_id, is_snoozed, is_closed],
  )
  if (is_closed) return null
  return (
    <Popover
      id="snooze"
      label={is_snoozed ? 'Snoozed' : 'Snooze'}
      title={
        is_snoozed
          ? `Snoozed${row.snoozed_until ? ` until ${exactly(row.snoozed_until)}` : ' until the person writes'}`
          : 'Snooze (z)'
      }
      class={is_snoozed ? 'quiet icon-button is-on' : 'quiet icon-button'}
      button={<Icon name="snooze" />}
      onOpen={(panel) => panel.querySelector('button')?.focus()}
      key={ticket_id}
    >
      {(close) => {
        const then = (act: () => void) => () => {
          close()
          act()
        }
        return (
          <div class="snooze" onKeyDown={moveBesideField}>
            {is_snoozed && (
              <>
                <p class="faint">
                  {row.snoozed_until
                    ? `Snoozed: ${momentText(new Date(row.snoozed_until))}`
                    : 'Snoozed until the person writes'}
                </p>
                <button type="button" class="menu-item" onClick={then(wake)}>
                  <Icon name="bell" /> <span>Bring it back now</span>
                </button>
              </>
            )}
            <button type="button" class="menu-item" onClick={then(() => snooze(null))}>
              <span>Until the person writes</span>
            </button>
            <MomentChoice
              action="Snooze"
              onChoose={(at) => {
                close()
                void snooze(at)
              }}
            />
          </div>
        )
      }}
    </Popover>
  )
}

/** Keys in the field of another time are its own. */
function moveBesideField(event: TargetedKeyboardEvent<HTMLElement>) {
  if (!(event.target instanceof HTMLInputElement)) move(event)
}
