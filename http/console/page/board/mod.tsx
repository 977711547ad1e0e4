/**
 * The board of a pipeline: a column for each stage, with its open tickets as cards.
 *
 * Places: `#/projects/{id}/board/{pipeline}?assigned_to=&tag_id=&priority=&search=` (`places.ts`). Cards are moved with the
 * pointer (`drag.ts`), with the keyboard (`card_keys.ts`), and by their menu; all three are the same change (`desk.ts`).
 */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { BoardView } from './board_view.tsx'
import { Boards } from './boards.ts'
import { Head } from './head.tsx'
import { boardPlaceOf } from './places.ts'

function View({ console: core, project, place }: PageProps) {
  const boards = project.part('board', () => new Boards(project))
  const { pipeline_id, filter } = boardPlaceOf(place)
  const pipelines = project.definitions.value?.pipelines
  const pipeline =
    pipelines?.find(({ _id }) => _id === pipeline_id) ??
    pipelines?.find(({ is_default }) => is_default) ??
    pipelines?.[0]
  const key = JSON.stringify(filter)
  useMemo(() => pipeline && boards.show(pipeline._id, filter), [boards, pipeline?._id, key])
  useEffect(() => {
    core.title.value = pipeline ? `${pipeline.name} – Board` : 'Board'
  }, [core, pipeline?.name])
  const board = boards.board.value

  if (pipelines && !pipeline) {
    const text = 'A board shows the stages of a pipeline. Operators create pipelines with `parley pipelines create`.'
    return <Empty level={1} icon="board" title="No pipeline yet" text={text} />
  }
  if (!pipelines || !pipeline || !board)
    return (
      <div class="page">
        <Waiting label="Loading the board" rows={4} />
      </div>
    )
  const state = board.state.value
  return (
    <div class="board" data-keeps-focus>
      <Head project={project} board={board} pipeline={pipeline} pipelines={pipelines} filter={filter} />
      {state === 'failed' && (
        <div class="page">
          <Trouble title="The board could not be loaded" error={board.fault.value} onRetry={() => board.retry()} />
        </div>
      )}
      {state === 'loading' && (
        <div class="board-waiting">
          <Waiting label="Loading the board" rows={3} />
        </div>
      )}
      {state === 'ready' && (
        <BoardView project={project} board={board} filter={filter} key={`${pipeline._id} ${key}`} />
      )}
    </div>
  )
}

export const page = { View }
