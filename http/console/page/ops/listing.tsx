/** Parts that the lists of operators share: the table, its states, chips of filters, and a question before an act. */
import type { ComponentChildren } from 'preact'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Icon, type IconName } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { Pages } from './pages.ts'
import type { Named } from './records.ts'

/** A table with a page of rows. On phones each row is a card, with the names of columns beside the values. */
export function Listing<Row>({
  label,
  pages,
  columns,
  row,
  empty,
}: {
  label: string
  pages: Pages<Row>
  columns: string[]
  row: (row: Row) => ComponentChildren
  empty: { title: string; text?: string; icon?: IconName }
}) {
  const rows = pages.rows.value
  const fault = pages.fault.value
  if (!rows && fault)
    return <Trouble title={`${label} could not be loaded`} error={fault} onRetry={() => pages.read()} />
  if (!rows) return <Waiting label={`Loading ${label.toLowerCase()}`} rows={5} />
  if (rows.length === 0)
    return (
      <div class="card">
        <Empty {...empty} />
      </div>
    )
  return (
    <>
      <div class="card ops-list">
        <table class="ops-table">
          <caption class="aside">{label}</caption>
          <thead>
            <tr>
              {columns.map((name) => (
                <th scope="col" key={name}>
                  {name || <span class="aside">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.map(row)}</tbody>
        </table>
      </div>
      {fault && <Trouble title="The list may be outdated" error={fault} onRetry={() => pages.read()} />}
      {pages.has_more.value && (
        <button type="button" class="button ops-more" disabled={pages.is_busy.value} onClick={() => pages.more()}>
          {pages.is_busy.value ? 'Loading…' : 'Show more'}
        </button>
      )}
    </>
  )
}

/** A cell. On phones it has the name of its column before it. */
export function Cell({
  name = '',
  class: style = '',
  children,
}: {
  name?: string
  class?: string
  children?: ComponentChildren
}) {
  return (
    <td class={style} data-name={name}>
      {children}
    </td>
  )
}

/** The project of a row and its company. */
export function Owner({ project, company, href }: { project: Named; company: Named; href?: string }) {
  return (
    <div class="ops-two">
      {href ? (
        <a class="ops-plain" href={href}>
          {project.name}
        </a>
      ) : (
        <span>{project.name}</span>
      )}
      <span class="faint">{company.name}</span>
    </div>
  )
}

/** A bar beside a number that says the same. */
export function Share({ part }: { part: number }) {
  return (
    <span class="ops-bar" aria-hidden="true">
      <i style={{ width: `${Math.min(100, part * 100)}%` }}></i>
    </span>
  )
}

/** A filter in the address, with a way out of it. */
export function Chip({ text, href }: { text: string; href: string }) {
  return (
    <a class="ops-chip" href={href} aria-label={`Remove the filter ${text}`}>
      {text} <Icon name="close" />
    </a>
  )
}

/** A question before an act that cannot be taken back. Closes once it is done. */
export function Question({
  title,
  act_text,
  act,
  onClose,
  is_danger = true,
  children,
}: {
  title: string
  act_text: string
  act: () => Promise<unknown>
  onClose(): void
  is_danger?: boolean
  children?: ComponentChildren
}) {
  const actions = (close: () => void) => <Answers act_text={act_text} act={act} close={close} is_danger={is_danger} />
  return (
    <Dialog title={title} onClose={onClose} actions={actions}>
      {children}
    </Dialog>
  )
}

function Answers({
  act_text,
  act,
  close,
  is_danger,
}: {
  act_text: string
  act: () => Promise<unknown>
  close(): void
  is_danger: boolean
}) {
  const { run, is_busy, fault } = useAction(async () => {
    await act()
    close()
  })
  return (
    <>
      {fault && (
        <p class="field-error ops-wide" role="alert">
          <Icon name="alert" /> {fault.message}
        </p>
      )}
      <button type="button" class="button" onClick={close}>
        Keep it as it is
      </button>
      <button type="button" class={`button ${is_danger ? 'danger full' : 'primary'}`} disabled={is_busy} onClick={run}>
        {is_busy ? 'Working…' : act_text}
      </button>
    </>
  )
}
