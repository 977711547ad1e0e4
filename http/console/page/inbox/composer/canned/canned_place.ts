/** The dialog of canned responses: open or not. */

import { signal } from '@preact/signals'
import type { Project } from '../../../data/project.ts'

/** The project whose canned responses are managed. */
export const managed = signal<Project | null>(null)

export function openCanned(project: Project) {
  managed.value = project
}
