import type { ComponentType } from 'preact'
import type { Place } from '../data/place.ts'
import type { Project } from '../data/project.ts'
import type { Console } from './console.ts'

export type PageProps = { console: Console; project: Project; place: Place }

/** Pages of sections that belong to no project get `project` as null. */
export type SectionPage = { View: ComponentType<PageProps> }
