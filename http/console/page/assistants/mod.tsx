/** The section of assistants: the list, and one of them with its instructions, settings, tools and places. */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { AssistantPage } from './assistant_page.tsx'
import { Assistants } from './assistants.ts'
import { useGuard } from './guard.tsx'
import { ListPage } from './list_page.tsx'
import { assistantsPlace, assistantsPlaceOf } from './places.ts'

function View({ console: core, project, place }: PageProps) {
  const target = assistantsPlaceOf(place)
  const assistants = project.part('assistants_section', (of) => new Assistants(of))
  const where = JSON.stringify(target)
  useMemo(() => target && assistants.show(target), [assistants, where])
  useEffect(() => () => assistants.hide(), [assistants])
  const open = assistants.open.value
  const name = open?.assistant.value?.name
  const is_dirty = open?.is_dirty ?? false
  useEffect(() => {
    const title = target?.page === 'one' ? (name ?? 'Assistants') : 'Assistants'
    core.title.value = is_dirty ? `• ${title}` : title
  }, [core, where, name, is_dirty])
  const id = target?.page === 'one' ? target.id : null
  const part = target?.page === 'one' ? target.part : null
  useEffect(() => scrollTo(0, 0), [id, part])
  const leaving = useGuard(open)
  return (
    <>
      {target?.page === 'list' && (
        <ListPage assistants={assistants} search={target.search} is_new={target.is_new} key="list" />
      )}
      {target?.page === 'one' && open && (
        <AssistantPage assistants={assistants} open={open} place={target} key={target.id} />
      )}
      {!target && (
        <Empty level={1} title="There is nothing here" text="The address is wrong.">
          <a class="button" href={assistantsPlace(project.id)}>
            Go to assistants
          </a>
        </Empty>
      )}
      {leaving}
    </>
  )
}

export const page = { View }
