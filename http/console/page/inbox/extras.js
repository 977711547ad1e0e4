/** Additions to the list of tickets, loaded after it: drafts and saved views. No DOM. */
import { Drafts } from './drafts.js'
import { SavedViews } from './views.js'

/**
 * @param {import('../data/project.js').Project} project
 * @param {import('./inbox.js').Inbox} inbox
 */
export function loadExtras(project, inbox) {
  inbox.drafts.value = project.part('drafts', () => new Drafts(project))
  inbox.views.value = project.part('views', () => new SavedViews(project))
}
