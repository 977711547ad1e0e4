/** The root view: the sign-in form, or a section within the frame. */

import { useErrorBoundary } from 'preact/hooks'
import type { Console } from '../core/console.ts'
import { addressOf } from '../data/places.ts'
import type { Session } from '../records/session.ts'
import { lazy } from '../ui/lazy.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Frame } from './frame/frame.tsx'
import { SectionHost } from './section_host.tsx'
import { sectionsOf } from './sections.ts'

const Invitation = lazy(() => import('./sign_in/invitation.tsx').then((module) => module.Invitation))
const SignIn = lazy(() => import('./sign_in/sign_in.tsx').then((module) => module.SignIn))

export function App({ core }: { core: Console }) {
  const [broken] = useErrorBoundary((error) => globalThis.console.error(error))
  if (broken) return <Broken />
  const session = core.session.value
  if (session === undefined) return core.trouble.value && <Away core={core} />
  if (core.place.value.section === 'invitation') return <Invitation core={core} />
  if (session === null) return <SignIn core={core} />
  return (
    <Frame core={core} session={session}>
      <Section core={core} session={session} />
    </Frame>
  )
}

function Section({ core, session }: { core: Console; session: Session }) {
  const place = core.place.value
  const project = core.project.value
  const [first] = session.projects
  if (place.section === 'start' && first) return null
  const section = sectionsOf(session).find((one) => one.section === place.section)
  const is_possible = section?.has_no_project ? place.project_id === undefined : project !== null
  if (section && is_possible) {
    const at = `${section.section} ${project?.id}`
    return <SectionHost section={section} console={core} project={project} place={place} key={at} />
  }
  if (!first) {
    const text = `${session.company.name} has no project that you could look at.`
    return <Empty level={1} title="No projects yet" text={text} />
  }
  return <Nowhere href={addressOf((project ?? { id: first._id }).id)} />
}

function Nowhere({ href }: { href: string }) {
  const text = 'The address is wrong, or it belongs to a project that you have no access to.'
  return (
    <Empty level={1} title="There is nothing here" text={text}>
      <a class="button" href={href}>
        Go to the inbox
      </a>
    </Empty>
  )
}

function Away({ core }: { core: Console }) {
  return (
    <main class="alone">
      <h1 class="aside">Parley</h1>
      <Trouble title="The console cannot start" error={core.trouble.value} onRetry={() => core.start()} />
    </main>
  )
}

function Broken() {
  const error = { message: 'That is a fault of the console. What is sent goes on.' }
  return (
    <main class="alone">
      <h1 class="aside">Parley</h1>
      <Trouble title="Something went wrong" error={error} onRetry={() => location.reload()} />
    </main>
  )
}
