/** The tools that an assistant may call, and the knowledge that it searches. */

import { useState } from 'preact/hooks'
import type { AgentTool } from '../../records/assistant.ts'
import { Switch } from '../../ui/forms/field.tsx'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { KnowledgeCard } from './knowledge_card.tsx'

export function ToolsPart(props: PartProps) {
  return (
    <>
      <ToolsCard {...props} />
      <KnowledgeCard {...props} />
    </>
  )
}

function ToolsCard({ assistants, open, assistant }: PartProps) {
  const { value, fault } = open.tools.state.value
  /** The tool that is being switched, shown as it will be. */
  const [switched, setSwitched] = useState<{ id: string; is_on: boolean } | null>(null)
  const turn = async ({ _id, name }: AgentTool, is_on: boolean) => {
    setSwitched({ id: _id, is_on })
    try {
      // The list is replaced as a whole: what a colleague has changed since it was read must stay.
      const { tools } = await assistants.api.one(assistant._id)
      const wanted = is_on ? [...new Set([...tools, _id])] : tools.filter((one) => one !== _id)
      assistants.keep(await assistants.api.setTools(assistant._id, wanted))
    } catch (error) {
      toastFault(`“${name}” was not changed`, error as Error)
    }
    setSwitched(null)
  }
  return (
    <section class="card assistant-card" aria-labelledby="assistant-tools">
      <h2 id="assistant-tools">Tools</h2>
      <p class="faint">
        A tool is an address of yours that the assistant calls, such as one that finds orders. Tools are made with the
        API or with <code>parley agent-tools</code>:{' '}
        <a href="/docs/agent_tools" target="_blank" rel="noopener">
          how to make one
        </a>
        .
      </p>
      {fault && <Trouble title="The tools could not be loaded" error={fault} onRetry={() => open.tools.read()} />}
      {!value && !fault && <Waiting label="Loading the tools" rows={2} />}
      {value?.length === 0 && <p>The project has no tools yet.</p>}
      <ul class="assistant-tools">
        {value?.map((tool) => (
          <li key={tool._id}>
            <Switch
              label={tool.name}
              is_on={switched?.id === tool._id ? switched.is_on : assistant.tools.includes(tool._id)}
              is_off={!assistants.may_manage || switched !== null}
              hint={hintOf(tool)}
              onChange={(is_on) => void turn(tool, is_on)}
            />
            {!tool.is_active && <span class="badge">Switched off for all</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function hintOf({ method, url, description }: AgentTool) {
  return [`${method} ${url}`, description].filter(Boolean).join(' – ')
}
