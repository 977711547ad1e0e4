/**
 * The board of a pipeline: a column for each stage, with its open tickets as cards.
 *
 * Places: `#/projects/{id}/board/{pipeline}?assigned_to=&tag_id=&priority=&search=` (`places.js`). Cards are moved with the
 * pointer (`drag.js`), with the keyboard (`card_keys.js`), and by their menu; all three are the same change (`desk.js`).
 */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { BoardView } from './board_view.js'
import { Boards } from './boards.js'
import { Head } from './head.js'
import { boardPlaceOf } from './places.js'

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, project, place }) {
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
    return html`<${Empty} level=${1} icon="board" title="No pipeline yet" text=${text} />`
  }
  if (!pipeline || !board) return html`<div class="page"><${Waiting} label="Loading the board" rows=${4} /></div>`
  const state = board.state.value
  return html`<div class="board" data-keeps-focus>
    <${Head} project=${project} board=${board} pipeline=${pipeline} pipelines=${pipelines} filter=${filter} />
    ${
      state === 'failed' &&
      html`<div class="page">
        <${Trouble} title="The board could not be loaded" error=${board.fault.value} onRetry=${() => board.retry()} />
      </div>`
    }
    ${state === 'loading' && html`<div class="board-waiting"><${Waiting} label="Loading the board" rows=${3} /></div>`}
    ${state === 'ready' && html`<${BoardView} project=${project} board=${board} filter=${filter} key=${`${pipeline._id} ${key}`} />`}
  </div>`
}

export const page = { View }
