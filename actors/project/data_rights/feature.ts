/** Erasure of people, and of the project itself. */
import type { Feature } from '../turn/feature.ts'
import { erasePeople } from './erase_people.ts'
import { eraseProject } from './erase_project.ts'

export const dataRights = {
  receivers: { erase_people: erasePeople, erase_project: eraseProject },
} satisfies Feature
