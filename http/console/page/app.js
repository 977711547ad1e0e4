/** The root view: the sign-in form, or a place within the frame. */
import { BroadcastPage } from './broadcast_page.js'
import { BroadcastsPage } from './broadcasts_page.js'
import { Frame } from './frame.js'
import { broadcastsPlace } from './places.js'
import { html, useErrorBoundary } from './preact.js'
import { SignIn } from './sign_in.js'
import { Trouble } from './ui.js'

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('../page_types/session.ts').Session} Session */

/**
 * @param {{ store: Store }} props
 */
export function App({ store }) {
  const [broken] = useErrorBoundary((error) => console.error(error))
  if (broken) return html`<${Broken} />`
  const { session, trouble } = store
  if (session === undefined) return trouble && html`<${Away} store=${store} />`
  if (session === null) return html`<${SignIn} store=${store} />`
  return html`<${Frame} store=${store} session=${session}><${Place} store=${store} session=${session} /><//>`
}

/**
 * @param {{ store: Store, session: Session }} props
 */
function Place({ store, session }) {
  const { project, place, list, detail } = store
  const [first] = session.projects
  if (!first) {
    return html`<${Nothing} title="No projects yet" text="${session.company.name} has no project that you could look at." />`
  }
  if (place.page === 'start') return null
  if (place.page === 'nowhere' || !project) {
    const home = broadcastsPlace((project ?? first)._id)
    const text = 'The address is wrong, or it belongs to a project that you have no access to.'
    return html`<${Nothing} title="There is nothing here" text=${text} href=${home} />`
  }
  if (place.page === 'broadcasts') return html`<${BroadcastsPage} list=${list} key=${project._id} />`
  return html`<${BroadcastPage} detail=${detail} from=${list} key=${place.id} />`
}

/**
 * @param {{ title: string, text: string, href?: string }} props
 */
function Nothing({ title, text, href }) {
  return html`<div class="nothing">
    <h1 tabindex="-1">${title}</h1>
    <p>${text}</p>
    ${href && html`<a class="button" href=${href}>Go to broadcasts</a>`}
  </div>`
}

/**
 * @param {{ store: Store }} props
 */
function Away({ store }) {
  return html`<main class="alone">
    <h1 class="aside">Parley</h1>
    <${Trouble} title="The console cannot start" error=${store.trouble} onRetry=${() => store.start()} />
  </main>`
}

function Broken() {
  const error = { message: 'That is a fault of the console. What is sent goes on.' }
  return html`<main class="alone">
    <h1 class="aside">Parley</h1>
    <${Trouble} title="Something went wrong" error=${error} onRetry=${() => location.reload()} />
  </main>`
}
