/**
 * The tree as one list of which only the lines in view exist, after the tree pattern of WAI-ARIA: the tree has the focus,
 * and names its active line. Lines can be dragged into folders, and files dropped on them.
 */
import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { toastFault } from '../ui/toast.js'
import { useWindow } from '../ui/window.js'
import { useDrop } from './drop.js'
import { nodeItems } from './node_items.js'
import { nodePlace } from './places.js'
import { destination } from './tree_keys.js'
import { statusOf } from './words.js'

/** @typedef {import('./tree_nodes.js').Row} Row */

/** Height of a line in pixels, as in the style. */
const HEIGHT = 34
/** Pause over a closed folder after which it opens. */
const OPEN_MS = 600

/** @param {Row} row */
const keyOf = ({ kind, id }) => `${kind}-${id}`

/**
 * @param {import('./mod.js').Shared & { current: string | null }} props
 */
export function TreeView({ project, knowledge, ask, current }) {
  const { tree, uploads } = knowledge
  void tree.version.value
  const { rows } = tree
  /** @type {import('preact').RefObject<HTMLElement>} */
  const scroller = useElement()
  const { first, end } = useWindow(scroller, rows.length, HEIGHT)
  const [active, setActive] = useState(/** @type {string | null} */ (null))
  const [hovered, setHovered] = useState(/** @type {string | null} */ (null))
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

  /** @param {number} index */
  const show = (index) => {
    const { current: view } = scroller
    if (index < 0 || !view) return
    const top = index * HEIGHT
    if (top < view.scrollTop) view.scrollTop = top
    else if (top + HEIGHT > view.scrollTop + view.clientHeight) view.scrollTop = top + HEIGHT - view.clientHeight
  }
  /** @param {string} id @param {string | null} folder */
  const move = async (id, folder) => {
    try {
      await tree.move(id, folder)
    } catch (error) {
      toastFault('It was not moved', /** @type {Error} */ (error))
    }
  }
  /** @param {Row | undefined} row */
  const run = (row) => {
    if (row?.kind === 'node') location.hash = nodePlace(project.id, row.id)
    else if (row?.kind === 'more') void tree.readMore(row.parent_id)
    else if (row?.kind === 'failed')
      void (tree.branch(row.parent_id)?.cursor ? tree.readMore(row.parent_id) : tree.load(row.parent_id))
  }
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
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
  /** @param {Row} row */
  const clicked = (row) => {
    setActive(keyOf(row))
    run(row)
  }

  const top_is_target = drop.target === ''
  return html`<div
    class=${top_is_target ? 'knowledge-scroller is-target' : 'knowledge-scroller'}
    ref=${scroller}
    ...${drop.on(null)}
    onPointerLeave=${() => setHovered(null)}
  >
    <ul
      id="knowledge-tree"
      class="virtual knowledge-tree"
      role="tree"
      aria-label="Folders and documents"
      tabindex="0"
      aria-activedescendant=${active_row && at >= first && at < end ? rowId(active_row) : undefined}
      style=${{ height: `${rows.length * HEIGHT}px` }}
      onKeyDown=${pressed}
      onFocus=${() => setFocus(true)}
      onBlur=${() => setFocus(false)}
    >
      ${rows.slice(first, end).map((row, index) => {
        const is_active = row === active_row
        const place = first + index
        const common = {
          id: rowId(row),
          role: 'treeitem',
          style: { transform: `translateY(${place * HEIGHT}px)`, '--level': row.level },
          key: `${keyOf(row)}-${row.kind === 'node' ? '' : row.level}`,
        }
        const mark = is_active && has_focus ? ' is-active' : ''
        if (row.kind !== 'node') {
          return html`<li ...${common} class=${`knowledge-row is-${row.kind}${mark}`} aria-level=${row.level} aria-disabled=${row.kind === 'loading' || row.kind === 'empty' ? 'true' : undefined} onClick=${() => clicked(row)}>
            <span>${NOTES[row.kind]}</span>
          </li>`
        }
        return html`<${NodeRow}
          ...${common}
          row=${row}
          key=${common.key}
          mark=${`${mark}${row.id === current ? ' is-open' : ''}${drop.target === row.id ? ' is-target' : ''}`}
          is_current=${row.id === current}
          menu=${
            (is_active || hovered === row.id) &&
            html`<${Menu}
              id=${`menu-${row.id}`}
              class="quiet icon-button knowledge-more"
              label=${`Actions for ${row.node.name}`}
              button=${html`<${Icon} name="more" />`}
              items=${nodeItems(row.node, ask)}
            />`
          }
          onToggle=${() => (row.is_open ? tree.close(row.id) : void tree.open(row.id))}
          onRun=${() => clicked(row)}
          onHover=${() => setHovered(row.id)}
          drag=${drop.from(row.id)}
          on=${drop.on(row.node.type === 'folder' ? row.id : row.parent_id)}
        />`
      })}
    </ul>
  </div>`
}

const NOTES = { loading: 'Loading…', empty: 'Empty', failed: 'Could not be loaded. Try again', more: 'Show more' }

/** @param {Row} row */
function rowId(row) {
  return row.kind === 'node' ? `row-${row.id}` : `row-${row.kind}-${row.id}`
}

/**
 * @param {{
 *   row: Extract<Row, { kind: 'node' }>
 *   id: string
 *   role: string
 *   style: object
 *   mark: string
 *   is_current: boolean
 *   menu: unknown
 *   onToggle(): void
 *   onRun(): void
 *   onHover(): void
 *   drag: object
 *   on: object
 * }} props
 */
function NodeRow({ row, id, role, style, mark, is_current, menu, onToggle, onRun, onHover, drag, on }) {
  const { node, level, at, of, is_open } = row
  const is_folder = node.type === 'folder'
  const status = is_folder || node.index_status === 'indexed' ? null : statusOf(node)
  /** @param {MouseEvent} event */
  const toggled = (event) => {
    event.stopPropagation()
    onToggle()
  }
  /** Clicks into the menu are not clicks on the line. @param {MouseEvent} event */
  const clicked = ({ target }) => {
    if (!(target instanceof Element && target.closest('button, .popover'))) onRun()
  }
  return html`<li
    id=${id}
    role=${role}
    style=${style}
    class=${`knowledge-row${mark}`}
    aria-level=${level}
    aria-posinset=${at}
    aria-setsize=${of}
    aria-expanded=${is_folder ? String(is_open) : undefined}
    aria-selected=${String(is_current)}
    aria-label=${status ? `${node.name}, ${status.text}` : node.name}
    onClick=${clicked}
    onPointerMove=${onHover}
    draggable="true"
    ...${drag}
    ...${on}
  >
    <span class="knowledge-twist" onClick=${is_folder ? toggled : undefined}>${is_folder && html`<${Icon} name="next" />`}</span>
    <${Icon} name=${is_folder ? 'folder' : node.source_url ? 'link' : 'file'} />
    <span class="knowledge-name">${node.name}</span>
    ${status && html`<i class=${`knowledge-dot ${status.badge}`} title=${status.text}></i>`} ${menu}
  </li>`
}
