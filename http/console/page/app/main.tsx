/** Connects the parts of the console: its core, the address, the live connection, the keyboard, and the page. */
import { effect } from '@preact/signals'
import { render } from 'preact'
import { io } from 'socket.io-client'
import { Console } from '../core/console.ts'
import { Api } from '../data/api.ts'
import { addressOf, leaving, placeOf } from '../data/places.ts'
import { followPreferences, prefer, preferences } from '../data/preferences.ts'
import { Live } from '../live/live.ts'
import { press } from '../ui/actions.ts'
import { App } from './app.tsx'

/** This script lies in `files/{release}/`. */
const base = new URL('../../', import.meta.url)
const core = new Console({
  api: new Api(base),
  connect: (on, user_id) => new Live(io, new URL('socket.io/', base), on, { auth: { user_id } }),
})

followPreferences()

function follow() {
  if ([...leaving].every((mayLeave) => mayLeave(location.hash))) core.go(placeOf(location.hash))
}

/** Once the session is known, a page without a place gets the last project. */
effect(() => {
  const { session, place } = core
  if (!session.value || place.value.section !== 'start') return
  const { projects } = session.value
  const { project_id } = preferences.peek()
  const start = projects.find(({ _id }) => _id === project_id) ?? projects[0]
  if (start) location.replace(addressOf(start._id))
})

effect(() => {
  const project = core.project.value
  if (project && project.id !== preferences.peek().project_id) prefer({ project_id: project.id })
})

effect(() => {
  const { session, title, unread } = core
  const count = unread.value > 0 ? `(${unread.value}) ` : ''
  const name = session.value === null ? 'Sign in' : title.value
  document.title = count + (name ? `${name} – Parley` : 'Parley')
})

addEventListener('hashchange', follow)
addEventListener('online', () => core.hurry())
addEventListener('keydown', press)
document.addEventListener('visibilitychange', () => document.hidden || core.hurry())
follow()
void core.start()
render(<App core={core} />, document.getElementById('console') as HTMLElement)
