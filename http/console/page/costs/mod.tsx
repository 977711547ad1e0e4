/** The section of costs: what messages have cost in a month, and marketing against its cap. */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { CostSums } from './costs.ts'
import { CostsPage } from './costs_page.tsx'
import { costsPlace, costsPlaceOf } from './places.ts'

function View({ console: core, project, place }: PageProps) {
  const target = costsPlaceOf(place)
  const sums = project.part('costs', () => new CostSums(project))
  const where = JSON.stringify(target)
  useMemo(() => target && sums.show(target), [sums, where])
  useEffect(() => {
    core.title.value = 'Costs'
  }, [core])
  useEffect(() => () => sums.hide(), [sums])
  if (target) return <CostsPage sums={sums} place={target} />
  return (
    <Empty level={1} title="There is nothing here" text="The address is wrong.">
      <a class="button" href={costsPlace(project.id)}>
        Go to costs
      </a>
    </Empty>
  )
}

export const page = { View }
