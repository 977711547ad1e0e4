/** Additions to the list of tickets, loaded after it: drafts and saved views. No DOM. */
import type { Project } from '../data/project.ts'
import { Drafts } from './drafts.ts'
import type { Inbox } from './inbox.ts'
import { SavedViews } from './views.ts'

export function loadExtras(project: Project, inbox: Inbox) {
  inbox.drafts.value = project.part('drafts', () => new Drafts(project))
  inbox.views.value = project.part('views', () => new SavedViews(project))
}
