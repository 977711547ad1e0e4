import { listErasingProjects, Project } from '../../../storage/mod.ts'
import type { Refresh } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'

/** The row of the project; null when it is being erased. */
const projectReads: ReadKind<object, { row: Project | null }> = {
  wanted: () => ({}),
  found: () => ({ row: null }),
  async read(found, _wanted, { database, state: { project_id } }) {
    const [erasing] = await listErasingProjects(database, [project_id])
    if (!erasing) found.row = await database.em().findOne(Project, { _id: project_id }, { disableIdentityMap: true })
  },
}

/** The project was created, or its limits were changed. */
export const refreshLimits: Refresh = {
  reads(reads) {
    reads.of(projectReads)
  },
  refresh({ state, records }) {
    const { row } = records.of(projectReads)
    if (!row) return
    state.exists = true
    state.company_id = row.company_id
    state.limits = row.limits
  },
}
