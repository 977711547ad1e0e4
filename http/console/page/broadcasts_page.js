/** The broadcasts of a project. */
import { number } from './format.js'
import { HowToSend } from './how_to_send.js'
import { Icon } from './icons.js'
import { broadcastPlace, broadcastsPlace } from './places.js'
import { Component, html, useEffect, useRef, useState } from './preact.js'
import { Bar, Counts } from './progress.js'
import { nameOf, STATUSES } from './records.js'
import { Badge, Moment, statusWord, Trouble, Waiting } from './ui.js'

/** @typedef {import('../page_types/broadcast.ts').Broadcast} Broadcast */
/** @typedef {import('../page_types/broadcast.ts').BroadcastFilter} BroadcastFilter */
/** @typedef {import('./broadcast_list.js').BroadcastList} BroadcastList */

/**
 * @param {{ list: BroadcastList }} props
 */
export function BroadcastsPage({ list }) {
  useEffect(() => {
    // Applies to the list being left, which the user may come back to.
    const remember = () => {
      list.scrolled_to = scrollY
    }
    addEventListener('scroll', remember, { passive: true })
    return () => removeEventListener('scroll', remember)
  }, [list])
  return html`<div class="page">
    <div class="page-head"><h1 tabindex="-1">Broadcasts</h1></div>
    ${!isNew(list) && html`<${Filters} list=${list} />`}
    <${Results} list=${list} />
  </div>`
}

/**
 * True when the project has no broadcasts at all, so there is nothing to filter.
 *
 * @param {BroadcastList} list
 */
function isNew({ state, broadcasts, filter }) {
  return state === 'ready' && broadcasts.length === 0 && Object.keys(filter).length === 0
}

/**
 * @param {{ list: BroadcastList }} props
 */
function Filters({ list: { project_id, filter, broadcasts } }) {
  /** @type {import('./preact.js').Ref<HTMLInputElement>} */
  const field = useRef()
  const { status, campaign_name = '' } = filter
  useEffect(() => {
    field.current.value = campaign_name
  }, [campaign_name])
  const search = () => {
    const wanted = field.current.value.trim()
    if (wanted !== campaign_name) location.hash = broadcastsPlace(project_id, { status, campaign_name: wanted })
  }
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault()
    search()
  }
  /**
   * Choosing a suggested name, or clearing it, needs no Enter.
   *
   * @param {InputEvent & { target: HTMLInputElement }} event
   */
  const input = ({ inputType, target }) => (inputType === 'insertReplacementText' || target.value === '') && search()
  const names = [...new Set(broadcasts.map((one) => one.campaign_name).filter(Boolean))]
  return html`<div class="filters">
    <nav class="tabs" aria-label="Status">
      ${[undefined, ...STATUSES].map(
        (one) =>
          html`<a
            href=${broadcastsPlace(project_id, { status: one, campaign_name })}
            aria-current=${one === status ? 'true' : undefined}
            key=${one ?? 'all'}
            >${one ? statusWord(one) : 'All'}</a
          >`,
      )}
    </nav>
    <form class="search" role="search" method="post" onSubmit=${submit}>
      <${Icon} name="search" />
      <input
        ref=${field}
        type="search"
        list="campaign-names"
        maxlength="200"
        placeholder="Campaign name"
        aria-label="Campaign name, in full"
        onInput=${input}
        onChange=${search}
      />
      <datalist id="campaign-names">${names.map((name) => html`<option value=${name} key=${name}></option>`)}</datalist>
    </form>
  </div>`
}

/**
 * @param {{ list: BroadcastList }} props
 */
function Results({ list }) {
  const { state, error, broadcasts, filter, project_id } = list
  if (isNew(list)) return html`<${HowToSend} />`
  if (state === 'loading') return html`<${Waiting} label="Loading broadcasts" rows=${6} />`
  if (state === 'failed') {
    return html`<${Trouble} title="The broadcasts could not be loaded" error=${error} onRetry=${() => list.retry()} />`
  }
  if (broadcasts.length === 0) return html`<${NoMatch} filter=${filter} id=${project_id} />`
  return html`<div class="card rows">
      <div class="row row-heads" aria-hidden="true">
        <span>Campaign</span><span>Status</span><span>Progress</span><span>Started</span>
      </div>
      <ol>
        ${broadcasts.map((one) => html`<${Row} broadcast=${one} project_id=${project_id} key=${one.id} />`)}
      </ol>
    </div>
    <${More} list=${list} />`
}

/**
 * Redraws a row only when its own record changes, so that the others of a long list cost nothing.
 *
 * @typedef {{ broadcast: Broadcast, project_id: string }} RowProps
 * @extends {Component<RowProps>}
 */
class Row extends Component {
  /**
   * @override
   * @param {RowProps} next
   */
  shouldComponentUpdate(next) {
    return next.broadcast !== this.props.broadcast
  }

  /**
   * @override
   * @param {RowProps} props
   */
  render({ broadcast, project_id }) {
    const { id, status, campaign_name, template_name, language, total, started_at } = broadcast
    const what = campaign_name ? `${template_name} · ${language}` : language
    const people = total === 1 ? '1 recipient' : `${number(total)} recipients`
    return html`<li class="row">
      <div class="row-name">
        <a id=${id} href=${broadcastPlace(project_id, id)}>${nameOf(broadcast)}</a>
        <p class="faint">${what} · ${people}</p>
      </div>
      <div class="row-status"><${Badge} status=${status} /></div>
      <div class="row-progress">
        <${Bar} broadcast=${broadcast} />
        <${Counts} broadcast=${broadcast} />
      </div>
      <div class="row-when"><${Moment} at=${started_at} /></div>
    </li>`
  }
}

/**
 * Loads the next page when its button comes into view, or is pressed.
 *
 * @param {{ list: BroadcastList }} props
 */
function More({ list }) {
  /** @type {import('./preact.js').Ref<HTMLButtonElement | null>} */
  const button = useRef(null)
  const [is_seen, setSeen] = useState(false)
  const { hasMore, is_loading_more, more_error } = list
  useEffect(() => {
    if (!button.current) return setSeen(false)
    const observer = new IntersectionObserver((seen) => setSeen(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: '400px',
    })
    observer.observe(button.current)
    return () => observer.disconnect()
  }, [list, hasMore, more_error])
  // Checked with each drawing: a short page may leave the button in view.
  useEffect(() => {
    if (is_seen && hasMore && !is_loading_more && !more_error) void list.readMore()
  })
  if (!hasMore) return null
  if (more_error) {
    return html`<${Trouble} title="Older broadcasts could not be loaded" error=${more_error} onRetry=${() => list.readMore()} />`
  }
  return html`<div class="more">
    <button type="button" class="button" ref=${button} aria-busy=${String(is_loading_more)} onClick=${() => list.readMore()}>
      ${is_loading_more ? 'Loading…' : 'Show older'}
    </button>
  </div>`
}

/**
 * @param {{ filter: BroadcastFilter, id: string }} props
 */
function NoMatch({ filter: { status, campaign_name }, id }) {
  const which = status ? `${statusWord(status).toLowerCase()} broadcast` : 'broadcast'
  return html`<div class="card nothing">
    <h2>No ${which} ${campaign_name ? html`is called “${campaign_name}”` : 'right now'}</h2>
    ${campaign_name && html`<p>The name has to be written in full, as it was given.</p>`}
    <a class="button" href=${broadcastsPlace(id)}>Show all broadcasts</a>
  </div>`
}
