/** The root view: the sign-in form, or a section within the frame. */
import { html } from 'htm/preact'
import { useErrorBoundary } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { lazy } from '../ui/lazy.js'
import { Trouble } from '../ui/trouble.js'
import { Frame } from './frame.js'
import { addressOf } from './places.js'
import { SectionHost } from './section_host.js'
import { sectionsOf } from './sections.js'

const Invitation = lazy(() => import('./invitation.js').then((module) => module.Invitation))
const SignIn = lazy(() => import('./sign_in.js').then((module) => module.SignIn))

/** @typedef {import('./console.js').Console} Console */
/** @typedef {import('../../page_types/session.ts').Session} Session */

/**
 * @param {{ core: Console }} props
 */
export function App({ core }) {
  const [broken] = useErrorBoundary((error) => globalThis.console.error(error))
  if (broken) return html`<${Broken} />`
  const session = core.session.value
  if (session === undefined) return core.trouble.value && html`<${Away} core=${core} />`
  if (core.place.value.section === 'invitation') return html`<${Invitation} core=${core} />`
  if (session === null) return html`<${SignIn} core=${core} />`
  return html`<${Frame} core=${core} session=${session}><${Section} core=${core} session=${session} /><//>`
}

/**
 * @param {{ core: Console, session: Session }} props
 */
function Section({ core, session }) {
  const place = core.place.value
  const project = core.project.value
  const [first] = session.projects
  if (place.section === 'start' && first) return null
  const section = sectionsOf(session).find((one) => one.section === place.section)
  const is_possible = section?.has_no_project ? place.project_id === undefined : project !== null
  if (section && is_possible) {
    const at = `${section.section} ${project?.id}`
    return html`<${SectionHost} section=${section} console=${core} project=${project} place=${place} key=${at} />`
  }
  if (!first) {
    const text = `${session.company.name} has no project that you could look at.`
    return html`<${Empty} level=${1} title="No projects yet" text=${text} />`
  }
  return html`<${Nowhere} href=${addressOf((project ?? { id: first._id }).id)} />`
}

/**
 * @param {{ href: string }} props
 */
function Nowhere({ href }) {
  const text = 'The address is wrong, or it belongs to a project that you have no access to.'
  return html`<${Empty} level=${1} title="There is nothing here" text=${text}>
    <a class="button" href=${href}>Go to the inbox</a>
  <//>`
}

/**
 * @param {{ core: Console }} props
 */
function Away({ core }) {
  return html`<main class="alone">
    <h1 class="aside">Parley</h1>
    <${Trouble} title="The console cannot start" error=${core.trouble.value} onRetry=${() => core.start()} />
  </main>`
}

function Broken() {
  const error = { message: 'That is a fault of the console. What is sent goes on.' }
  return html`<main class="alone">
    <h1 class="aside">Parley</h1>
    <${Trouble} title="Something went wrong" error=${error} onRetry=${() => location.reload()} />
  </main>`
}
