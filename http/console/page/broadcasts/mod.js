/** The section of broadcasts: a list of them, one, or the page that composes one. */
import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { BroadcastPage } from './broadcast_page.js'
import { Broadcasts } from './broadcasts.js'
import { BroadcastsPage } from './broadcasts_page.js'
import { ComposePage } from './compose/compose_page.js'
import { Composition } from './compose/composition.js'
import { Drafts } from './compose/drafts.js'
import { broadcastsPlace, broadcastsPlaceOf } from './places.js'
import { titleOf } from './title.js'
import { channelNames } from './words.js'

const drafts = new Drafts()

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, project, place }) {
  const wanted = broadcastsPlaceOf(place)
  const is_live = core.live_state.value === 'live'
  const broadcasts = project.part('broadcasts', () => {
    return new Broadcasts(project, () => core.live_state.peek() === 'live')
  })
  const where = JSON.stringify(wanted)
  useMemo(() => wanted && broadcasts.show(wanted), [broadcasts, where])
  const version = broadcasts.version.value
  // Read here: components that read a signal are not drawn again for what changes within the list.
  const definitions = project.definitions.value
  const channels = useMemo(() => channelNames(definitions), [definitions])
  const senders = useMemo(
    () => new Map(definitions?.users.map(({ _id, full_name }) => [_id, full_name])),
    [definitions],
  )
  const { list, detail } = broadcasts
  useEffect(() => project.define(), [project])
  useEffect(() => {
    core.title.value = wanted?.page === 'new' ? 'New broadcast' : titleOf(detail?.broadcast)
  }, [core, version, where])
  useLayoutEffect(() => scrollTo(0, wanted?.page === 'list' ? (list?.scrolled_to ?? 0) : 0), [wanted?.page, detail?.id])
  if (wanted?.page === 'list' && list) return html`<${BroadcastsPage} list=${list} channels=${channels} />`
  if (wanted?.page === 'one' && detail) {
    return html`<${BroadcastPage} detail=${detail} from=${list} channels=${channels} senders=${senders} is_live=${is_live} key=${wanted.id} />`
  }
  if (wanted?.page === 'new') {
    const composition = project.part('composition', () => new Composition({ project, drafts }))
    return html`<${ComposePage} composition=${composition} project=${project} from=${list} />`
  }
  return html`<${Empty} level=${1} title="There is nothing here" text="The address is wrong.">
    <a class="button" href=${broadcastsPlace(project.id)}>Go to broadcasts</a>
  <//>`
}

export const page = { View }
