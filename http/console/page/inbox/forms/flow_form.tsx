/** The form of a message that opens a WhatsApp Flow. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'
import { SelectField } from '../../ui/forms/field.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { omitEmpty, problemOf, TextInput } from './inputs.tsx'

const BODY = 1024
const SHORT = 60
const BUTTON = 30

export function FlowForm(props: FormProps) {
  const [flows, setFlows] = useState<{ provider_flow_id: string; name: string }[] | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const [flow_id, setFlow] = useState('')
  const [body_text, setBody] = useState('')
  const [flow_cta, setButton] = useState('')
  const [header_text, setHeader] = useState('')
  const [footer_text, setFooter] = useState('')
  const [screen, setScreen] = useState('')
  const channel_id = props.compose.channel.peek().channel?._id
  useEffect(() => {
    props.project.api.get('flows', { channel_id, limit: 200 }).then(
      ({ data }) => {
        const published = data.filter(({ status }: { status: string }) => status === 'published')
        setFlows(published)
        setFlow(published[0]?.provider_flow_id ?? '')
      },
      (error) => setFault(faultOf(error)),
    )
  }, [])
  const message = {
    type: 'flow',
    flow_id,
    flow_cta: flow_cta.trim(),
    body_text,
    header_text: omitEmpty(header_text),
    footer_text: omitEmpty(footer_text),
    ...(screen.trim() && { flow_action: 'navigate', flow_action_payload: { screen: screen.trim() } }),
  }
  const is_complete =
    flow_id !== '' &&
    !problemOf(body_text, BODY) &&
    !problemOf(flow_cta, BUTTON) &&
    [header_text, footer_text].every((text) => [...text].length <= SHORT)
  const preview = (
    <>
      {header_text && (
        <p>
          <b>{header_text}</b>
        </p>
      )}
      <p class="inbox-text">{body_text}</p>
      {footer_text && <p class="faint">{footer_text}</p>}
      <ul class="inbox-choices">
        <li>{flow_cta || 'Button'}</li>
      </ul>
    </>
  )
  return (
    <FormDialog {...props} title="Form (Flow)" message={message} is_complete={is_complete} preview={preview}>
      {(is_tried) => (
        <>
          {fault && <Trouble title="The Flows could not be loaded" error={fault} />}
          {flows?.length === 0 && <p class="note">No Flow of this number is published yet.</p>}
          {flows && flows.length > 0 && (
            <SelectField
              label="Flow"
              value={flow_id}
              options={flows.map(({ provider_flow_id, name }) => ({ value: provider_flow_id, text: name }))}
              onChange={setFlow}
            />
          )}
          <TextInput
            label="Text"
            value={body_text}
            onChange={setBody}
            most={BODY}
            lines={3}
            error={is_tried ? problemOf(body_text, BODY) : undefined}
          />
          <TextInput
            label="Button"
            value={flow_cta}
            onChange={setButton}
            most={BUTTON}
            placeholder="Choose a time"
            error={is_tried ? problemOf(flow_cta, BUTTON) : undefined}
          />
          <TextInput label="Header" value={header_text} onChange={setHeader} most={SHORT} />
          <TextInput label="Footer" value={footer_text} onChange={setFooter} most={SHORT} />
          <TextInput
            label="First screen"
            value={screen}
            onChange={setScreen}
            most={256}
            hint="Its id. Without one, the Flow begins as it was published."
          />
        </>
      )}
    </FormDialog>
  )
}
