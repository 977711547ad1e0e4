/** The empty list of broadcasts: explains how to send the first one. */

import { Copyable } from '../ui/copyable.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { newBroadcastPlace } from './places.ts'
import { fileExample, requestExample } from './send_examples.ts'

/** The ways to send a first broadcast. */
export function HowToSend({ project_id }: { project_id: string }) {
  return (
    <div class="card how">
      <span class="how-icon">
        <Icon name="broadcasts" />
      </span>
      <h2>No broadcasts yet</h2>
      <p>
        A broadcast sends one approved template to up to 5,000 people. As soon as one is sent, it appears here and moves
        as it goes.
      </p>
      <p class="how-start">
        <a class="button primary" href={newBroadcastPlace(project_id)}>
          <Icon name="plus" /> Compose the first one
        </a>
      </p>
      <h3>From the command line</h3>
      <p class="faint">
        The file has a column <code>phone</code> and one for each variable of the template. Run the commands in the
        directory where Parley was started.
      </p>
      <Example text={fileExample(location.origin)} label="the command" />
      <h3>With the API</h3>
      <p class="faint">
        <code>TOKEN</code> is an access token of the project; operators make them with <code>parley token create</code>.
      </p>
      <Example text={requestExample(location.origin)} label="the request" />
    </div>
  )
}

function Example({ text, label }: { text: string; label: string }) {
  return (
    <div class="example">
      <Copyable text={text} label={label}>
        <pre tabindex={0} aria-label={label}>
          {text}
        </pre>
      </Copyable>
    </div>
  )
}
