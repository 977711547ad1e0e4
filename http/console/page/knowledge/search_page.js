/** Results of a search, with the words marked. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.js'
import { Empty } from '../ui/empty.js'
import { Icon } from '../ui/icons.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { piecesOf, wordsOf } from './highlight.js'
import { nodePlace, searchPlace } from './places.js'
import { counted } from './words.js'

/** @typedef {import('../../page_types/knowledge.ts').KnowledgeHit} KnowledgeHit */
/** @typedef {{ hits: KnowledgeHit[] | null, fault: import('../../page_types/fault.ts').Fault | null, q: string }} Found */

/** The most that the server answers. */
const MOST = 50

/**
 * @param {import('./mod.js').Shared & { q: string, inside: string | undefined }} props
 */
export function SearchPage({ project, knowledge, q, inside }) {
  const { tree } = knowledge
  void tree.version.value
  const [{ hits, fault, q: asked }, setFound] = useState(/** @type {Found} */ ({ hits: null, fault: null, q: '' }))
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (q === '') return
    let is_wanted = true
    project.api.post('knowledge/search', { query: q, limit: MOST, ...(inside && { node_ids: [inside] }) }).then(
      ({ data }) => is_wanted && setFound({ hits: data, fault: null, q }),
      (error) => is_wanted && setFound({ hits: null, fault: faultOf(error), q }),
    )
    return () => {
      is_wanted = false
    }
  }, [project, q, inside, tries])
  useEffect(() => {
    if (inside) void tree.reveal(inside).catch(() => false)
  }, [inside])

  const chosen = inside ? tree.pathTo(inside) : []
  const folders = [...chosen, ...tree.nodesIn(null).filter(({ type }) => type === 'folder')]
  const options = [...new Map(folders.map((one) => [one._id, one])).values()]
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target }) => location.replace(searchPlace(project.id, q, target.value))
  return html`<div class="knowledge-page">
    <div class="page-head">
      <h1 tabindex="-1">${q === '' ? 'Search' : `Search for “${q}”`}</h1>
      <div class="knowledge-inside">
        <span class="faint" aria-hidden="true">In</span>
        <span class="select">
          <select aria-label="Search in" value=${inside ?? ''} onChange=${choose}>
            <option value="">all knowledge</option>
            ${options.map(
              ({ _id }) =>
                html`<option value=${_id} key=${_id}>${tree
                  .pathTo(_id)
                  .map(({ name }) => name)
                  .join(' / ')}</option>`,
            )}
          </select>
          <${Icon} name="down" />
        </span>
      </div>
    </div>
    ${q === '' && html`<${Empty} icon="search" title="Find a document" text="Forms of a word, missing accents and typing errors are understood." />`}
    ${fault && html`<${Trouble} title="The search failed" error=${fault} onRetry=${() => setTries(tries + 1)} />`}
    ${q !== '' && !hits && !fault && html`<${Waiting} label="Searching" rows=${4} />`}
    ${hits && html`<p class="faint" role="status">${hits.length === 0 ? '' : `${counted(hits.length, 'document')}${hits.length === MOST ? ' or more' : ''}, best first`}</p>`}
    ${hits?.length === 0 && html`<div class="card"><${Empty} icon="search" title=${`Nothing matches “${asked}”`} text=${inside ? 'Search in all knowledge, or with other words.' : 'Try other words, or fewer.'} /></div>`}
    ${
      hits &&
      hits.length > 0 &&
      html`<ol class="knowledge-hits">
        ${hits.map((hit) => html`<${Hit} project=${project} tree=${tree} hit=${hit} key=${hit.node_id} />`)}
      </ol>`
    }
  </div>`
}

/**
 * @param {{ project: import('../data/project.js').Project, tree: import('./tree.js').Tree, hit: KnowledgeHit }} props
 */
function Hit({ project, tree, hit: { node_id, name, highlight } }) {
  const path = tree.pathTo(node_id).slice(0, -1)
  return html`<li class="card knowledge-hit">
    <h2><a href=${nodePlace(project.id, node_id, wordsOf(highlight))}>${name}</a></h2>
    ${path.length > 0 && html`<p class="faint">${path.map((one) => one.name).join(' / ')}</p>`}
    <p class="knowledge-snippet">
      ${piecesOf(highlight).map(({ text, is_found }, at) => (is_found ? html`<mark key=${at}>${text}</mark>` : text))}
    </p>
  </li>`
}
