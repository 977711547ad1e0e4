import { nodePlace } from './places.ts'
import type { Shared } from './shared.ts'

/** The way from the top to a node. */
export function Path({ project, knowledge, id }: Pick<Shared, 'project' | 'knowledge'> & { id: string | null }) {
  const above = knowledge.tree.pathTo(id).filter(({ _id }) => _id !== id)
  return (
    <nav class="knowledge-path" aria-label="Folders above">
      <a href={nodePlace(project.id)}>Knowledge</a>
      {above.map(({ _id, name }) => (
        <span key={_id}>
          / <a href={nodePlace(project.id, _id)}>{name}</a>
        </span>
      ))}
    </nav>
  )
}
