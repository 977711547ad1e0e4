/**
 * The tree as one list of which only the lines in view exist, after the tree pattern of WAI-ARIA: the tree has the focus,
 * and names its active line. Lines can be dragged into folders, and files dropped on them.
 */

import type { ComponentChildren, CSSProperties } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useElement } from '../../ui/hooks.ts'
import { Menu } from '../../ui/overlays/menu.tsx'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { useWindow } from '../../ui/window.ts'
import { nodeItems } from '../node_items.ts'
import { nodePlace } from '../places.ts'
import type { Shared } from '../shared.ts'
import { statusOf } from '../words.ts'
import { useDrop } from './drop.ts'
import { destination } from './tree_keys.ts'
import type { Row } from './tree_nodes.ts'

/** Height of a line in pixels, as in the style. */
const HEIGHT = 34
/** Pause over a closed folder after which it opens. */
const OPEN_MS = 600

const keyOf = ({ kind, id }: Row) => `${kind}-${id}`

export function TreeView({ project, knowledge, ask, current }: Shared & { current: string | null }) {
  const { tree, uploads } = knowledge
  void tree.version.value
  const { rows } = tree
  const scroller = useElement<HTMLDivElement>()
  const { first, end } = useWindow(scroller, rows.length, HEIGHT)
  const [active, setActive] = useState<string | null>(null)
  const [hovered, setHovered] = useState<string | null>(null)
  const [has_focus, setFocus] = useState(false)
  const typed = useRef({ text: '', at: 0 })
  const at = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === active),
  )
  const active_row = rows[at]

  const drop = useDrop({
    canTake: (id, folder) => tree.canMove(id, folder),
    onNode: (id, folder) => void move(id, folder),
    onFiles: (files, folder) => uploads.addFiles(files, folder),
    onHover: (folder) => folder !== null && void tree.open(folder),
    hover_ms: OPEN_MS,
  })

  // The open node becomes the active line, and comes into view.
  useEffect(() => {
    if (current === null) return
    setActive(`node-${current}`)
    show(rows.findIndex((row) => keyOf(row) === `node-${current}`))
  }, [current, rows.some((row) => row.kind === 'node' && row.id === current)])

  const show = (index: number) => {
    const { current: view } = scroller
    if (index < 0 || !view) return
    const top = index * HEIGHT
    if (top < view.scrollTop) view.scrollTop = top
    else if (top + HEIGHT > view.scrollTop + view.clientHeight) view.scrollTop = top + HEIGHT - view.clientHeight
  }
  const move = async (id: string, folder: string | null) => {
    try {
      await tree.move(id, folder)
    } catch (error) {
      toastFault('It was not moved', error as Error)
    }
  }
  const run = (row: Row | undefined) => {
    if (row?.kind === 'node') location.hash = nodePlace(project.id, row.id)
    else if (row?.kind === 'more') void tree.readMore(row.parent_id)
    else if (row?.kind === 'failed')
      void (tree.branch(row.parent_id)?.cursor ? tree.readMore(row.parent_id) : tree.load(row.parent_id))
  }
  const pressed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    if (ctrlKey || metaKey || altKey || event.target !== event.currentTarget) return
    const row = active_row
    if (key === 'Enter' || key === ' ') run(row)
    else if (row?.kind === 'node' && key === 'F2') ask({ kind: 'rename', id: row.id })
    else if (row?.kind === 'node' && key === 'Delete') ask({ kind: 'delete', id: row.id })
    else if (row?.kind === 'node' && (key === 'ContextMenu' || (key === 'F10' && shiftKey))) {
      document.getElementById(`row-${row.id}`)?.querySelector('button')?.click()
    } else if (row?.kind === 'node' && key === 'ArrowRight' && row.node.type === 'folder' && !row.is_open) {
      void tree.open(row.id)
    } else if (row?.kind === 'node' && key === 'ArrowLeft' && row.is_open) tree.close(row.id)
    else {
      const to = destination(rows, at, key, typed.current, event.timeStamp)
      if (to === undefined) return
      const next = rows[to]
      if (next) setActive(keyOf(next))
      show(to)
    }
    event.preventDefault()
  }
  const clicked = (row: Row) => {
    setActive(keyOf(row))
    run(row)
  }

  const top_is_target = drop.target === ''
  return (
    <div
      class={top_is_target ? 'knowledge-scroller is-target' : 'knowledge-scroller'}
      ref={scroller}
      {...drop.on(null)}
      onPointerLeave={() => setHovered(null)}
    >
      <ul
        id="knowledge-tree"
        class="virtual knowledge-tree"
        role="tree"
        aria-label="Folders and documents"
        tabindex={0}
        aria-activedescendant={active_row && at >= first && at < end ? rowId(active_row) : undefined}
        style={{ height: `${rows.length * HEIGHT}px` }}
        onKeyDown={pressed}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
      >
        {rows.slice(first, end).map((row, index) => {
          const is_active = row === active_row
          const place = first + index
          const common = {
            id: rowId(row),
            role: 'treeitem' as const,
            style: { transform: `translateY(${place * HEIGHT}px)`, '--level': row.level },
            key: `${keyOf(row)}-${row.kind === 'node' ? '' : row.level}`,
          }
          const mark = is_active && has_focus ? ' is-active' : ''
          if (row.kind !== 'node') {
            return (
              <li
                {...common}
                class={`knowledge-row is-${row.kind}${mark}`}
                aria-level={row.level}
                aria-disabled={row.kind === 'loading' || row.kind === 'empty' ? true : undefined}
                onClick={() => clicked(row)}
              >
                <span>{NOTES[row.kind]}</span>
              </li>
            )
          }
          return (
            <NodeRow
              {...common}
              row={row}
              key={common.key}
              mark={`${mark}${row.id === current ? ' is-open' : ''}${drop.target === row.id ? ' is-target' : ''}`}
              is_current={row.id === current}
              menu={
                (is_active || hovered === row.id) && (
                  <Menu
                    id={`menu-${row.id}`}
                    class="quiet icon-button knowledge-more"
                    label={`Actions for ${row.node.name}`}
                    button={<Icon name="more" />}
                    items={nodeItems(row.node, ask)}
                  />
                )
              }
              onToggle={() => (row.is_open ? tree.close(row.id) : void tree.open(row.id))}
              onRun={() => clicked(row)}
              onHover={() => setHovered(row.id)}
              drag={drop.from(row.id)}
              on={drop.on(row.node.type === 'folder' ? row.id : row.parent_id)}
            />
          )
        })}
      </ul>
    </div>
  )
}

const NOTES = { loading: 'Loading…', empty: 'Empty', failed: 'Could not be loaded. Try again', more: 'Show more' }

function rowId(row: Row) {
  return row.kind === 'node' ? `row-${row.id}` : `row-${row.kind}-${row.id}`
}

function NodeRow({
  row,
  id,
  role,
  style,
  mark,
  is_current,
  menu,
  onToggle,
  onRun,
  onHover,
  drag,
  on,
}: {
  row: Extract<Row, { kind: 'node' }>
  id: string
  role: 'treeitem'
  style: CSSProperties
  mark: string
  is_current: boolean
  menu: ComponentChildren
  onToggle(): void
  onRun(): void
  onHover(): void
  drag: object
  on: object
}) {
  const { node, level, at, of, is_open } = row
  const is_folder = node.type === 'folder'
  const status = is_folder || node.index_status === 'indexed' ? null : statusOf(node)
  const toggled = (event: MouseEvent) => {
    event.stopPropagation()
    onToggle()
  }
  /** Clicks into the menu are not clicks on the line. */
  const clicked = ({ target }: MouseEvent) => {
    if (!(target instanceof Element && target.closest('button, .popover'))) onRun()
  }
  return (
    <li
      id={id}
      role={role}
      style={style}
      class={`knowledge-row${mark}`}
      aria-level={level}
      aria-posinset={at}
      aria-setsize={of}
      aria-expanded={is_folder ? is_open : undefined}
      aria-selected={is_current}
      aria-label={status ? `${node.name}, ${status.text}` : node.name}
      onClick={clicked}
      onPointerMove={onHover}
      draggable
      {...drag}
      {...on}
    >
      <span class="knowledge-twist" onClick={is_folder ? toggled : undefined}>
        {is_folder && <Icon name="next" />}
      </span>
      <Icon name={is_folder ? 'folder' : node.source_url ? 'link' : 'file'} />
      <span class="knowledge-name">{node.name}</span>
      {status && <i class={`knowledge-dot ${status.badge}`} title={status.text}></i>} {menu}
    </li>
  )
}
