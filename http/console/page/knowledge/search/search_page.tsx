/** Results of a search, with the words marked. */
import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.ts'
import type { Project } from '../../data/project.ts'
import type { Fault } from '../../records/fault.ts'
import type { KnowledgeHit } from '../../records/knowledge.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { nodePlace, searchPlace } from '../places.ts'
import type { Shared } from '../shared.ts'
import type { Tree } from '../tree/tree.ts'
import { counted } from '../words.ts'
import { piecesOf, wordsOf } from './highlight.ts'

type Found = { hits: KnowledgeHit[] | null; fault: Fault | null; q: string }

/** The most that the server answers. */
const MAX = 50

export function SearchPage({ project, knowledge, q, inside }: Shared & { q: string; inside: string | undefined }) {
  const { tree } = knowledge
  void tree.version.value
  const [{ hits, fault, q: asked }, setFound] = useState<Found>({ hits: null, fault: null, q: '' })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (q === '') return
    let is_wanted = true
    project.api.post('knowledge/search', { query: q, limit: MAX, ...(inside && { node_ids: [inside] }) }).then(
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
  const choose = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
    location.replace(searchPlace(project.id, q, currentTarget.value))
  return (
    <div class="knowledge-page">
      <div class="page-head">
        <h1 tabindex={-1}>{q === '' ? 'Search' : `Search for “${q}”`}</h1>
        <div class="knowledge-inside">
          <span class="faint" aria-hidden="true">
            In
          </span>
          <span class="select">
            <select aria-label="Search in" value={inside ?? ''} onChange={choose}>
              <option value="">all knowledge</option>
              {options.map(({ _id }) => (
                <option value={_id} key={_id}>
                  {tree
                    .pathTo(_id)
                    .map(({ name }) => name)
                    .join(' / ')}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        </div>
      </div>
      {q === '' && (
        <Empty
          icon="search"
          title="Find a document"
          text="Forms of a word, missing accents and typing errors are understood."
        />
      )}
      {fault && <Trouble title="The search failed" error={fault} onRetry={() => setTries(tries + 1)} />}
      {q !== '' && !hits && !fault && <Waiting label="Searching" rows={4} />}
      {hits && (
        <p class="faint" role="status">
          {hits.length === 0
            ? ''
            : `${counted(hits.length, 'document')}${hits.length === MAX ? ' or more' : ''}, best first`}
        </p>
      )}
      {hits?.length === 0 && (
        <div class="card">
          <Empty
            icon="search"
            title={`Nothing matches “${asked}”`}
            text={inside ? 'Search in all knowledge, or with other words.' : 'Try other words, or fewer.'}
          />
        </div>
      )}
      {hits && hits.length > 0 && (
        <ol class="knowledge-hits">
          {hits.map((hit) => (
            <Hit project={project} tree={tree} hit={hit} key={hit.node_id} />
          ))}
        </ol>
      )}
    </div>
  )
}

function Hit({
  project,
  tree,
  hit: { node_id, name, highlight },
}: {
  project: Project
  tree: Tree
  hit: KnowledgeHit
}) {
  const path = tree.pathTo(node_id).slice(0, -1)
  return (
    <li class="card knowledge-hit">
      <h2>
        <a href={nodePlace(project.id, node_id, wordsOf(highlight))}>{name}</a>
      </h2>
      {path.length > 0 && <p class="faint">{path.map((one) => one.name).join(' / ')}</p>}
      <p class="knowledge-snippet">
        {piecesOf(highlight).map(({ text, is_found }, at) => (is_found ? <mark key={at}>{text}</mark> : text))}
      </p>
    </li>
  )
}
