/** The dialog of canned responses: open or not. */
import { signal } from '@preact/signals'

/** The project whose canned responses are managed. */
export const managed = signal(/** @type {import('../../data/project.js').Project | null} */ (null))

/** @param {import('../../data/project.js').Project} project */
export function openCanned(project) {
  managed.value = project
}
