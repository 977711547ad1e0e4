/** The section of broadcasts: a list of them, one, or the page that composes one. */

import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { BroadcastPage } from './broadcast_page.tsx'
import { Broadcasts } from './broadcasts.ts'
import { BroadcastsPage } from './broadcasts_page.tsx'
import { ComposePage } from './compose/compose_page.tsx'
import { Composition } from './compose/composition.ts'
import { Drafts } from './compose/drafts.ts'
import { broadcastsPlace, broadcastsPlaceOf } from './places.ts'
import { cloudChannels } from './records.ts'
import { FormPage } from './templates/form_page.tsx'
import { ListPage } from './templates/list_page.tsx'
import { Templates } from './templates/templates.ts'
import { titleOf } from './title.ts'
import { channelNames } from './words.tsx'

const drafts = new Drafts()

function View({ console: core, project, place }: PageProps) {
  const target = broadcastsPlaceOf(place)
  const is_live = core.live_state.value === 'live'
  const broadcasts = project.part('broadcasts', () => {
    return new Broadcasts(project, () => core.live_state.peek() === 'live')
  })
  const where = JSON.stringify(target)
  useMemo(() => target && broadcasts.show(target), [broadcasts, where])
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
    core.title.value = TITLES[target?.page ?? ''] ?? titleOf(detail?.broadcast)
  }, [core, version, where])
  useLayoutEffect(() => scrollTo(0, target?.page === 'list' ? (list?.scrolled_to ?? 0) : 0), [target?.page, detail?.id])
  if (target?.page === 'list' && list) return <BroadcastsPage list={list} channels={channels} />
  if (target?.page === 'one' && detail) {
    return (
      <BroadcastPage
        detail={detail}
        from={list}
        channels={channels}
        senders={senders}
        is_live={is_live}
        key={target.id}
      />
    )
  }
  if (target?.page === 'new') {
    const composition = project.part('composition', () => new Composition({ project, drafts }))
    return <ComposePage composition={composition} project={project} from={list} />
  }
  if (target?.page === 'templates' || target?.page === 'new_template' || target?.page === 'template') {
    const templates = project.part('templates', () => new Templates(project))
    if (target.page === 'templates') return <ListPage templates={templates} channels={channels} />
    const id = target.page === 'template' ? target.id : null
    return <FormPage templates={templates} id={id} channels={cloudChannels(definitions)} key={id ?? 'new'} />
  }
  return (
    <Empty level={1} title="There is nothing here" text="The address is wrong.">
      <a class="button" href={broadcastsPlace(project.id)}>
        Go to broadcasts
      </a>
    </Empty>
  )
}

const TITLES: Partial<Record<string, string>> = {
  new: 'New broadcast',
  templates: 'Templates',
  new_template: 'New template',
  template: 'Template',
}

export const page = { View }
