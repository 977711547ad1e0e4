import { inTransaction, type Migration } from './step.ts'

/** Webhook tools of agents, the agents that hold them, and the test calls that were made. */
export const agentTools: Migration = {
  name: '0030_agent_tools',
  steps: [
    inTransaction(
      `create table agent_tool (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project on delete cascade,
    name text not null,
    description text not null,
    url text not null,
    method text not null constraint agent_tool_method_check check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
    headers text,
    parameters json not null,
    timeout_ms integer not null,
    is_active boolean not null default true,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create index agent_tool_project on agent_tool (project_id, _id desc)`,
      // No cascade: a tool that an agent holds cannot be deleted, at whatever moment it is given to the agent. Deferred,
      // because one commit may insert a tool and its holder, in no particular order.
      `create table assistant_tool (
    assistant_id text collate "C" not null references assistant on delete cascade deferrable initially deferred,
    tool_id text collate "C" not null references agent_tool deferrable initially deferred,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    position integer not null,
    primary key (assistant_id, tool_id)
  )`,
      `create index assistant_tool_tool on assistant_tool (tool_id)`,
      `create table agent_tool_call (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    tool_id text collate "C" not null references agent_tool on delete cascade deferrable initially deferred,
    arguments json not null,
    succeeded boolean not null,
    status_code integer,
    duration_ms integer not null,
    error text,
    response text,
    is_truncated boolean not null,
    created_at timestamptz(3) not null
  )`,
      `create index agent_tool_call_tool on agent_tool_call (tool_id, _id desc)`,
      `create index agent_tool_call_age on agent_tool_call (created_at)`,
    ),
  ],
}
