// Run by the tests from a folder with the SDK in node_modules: what a client sees, as JSON.
//   node client.mjs handshake|stateless stdio CELLBLOCK
//   node client.mjs handshake|stateless http URL TOKEN
const [, , era, kind, where, token] = process.argv;
const handshake = era === 'handshake';
const sdk = (path, stateless = '') =>
  import(handshake ? `@modelcontextprotocol/sdk/client/${path}.js` : `@modelcontextprotocol/client${stateless}`);
const { Client } = await sdk('index');

async function connect() {
  if (kind === 'stdio') {
    const { StdioClientTransport } = await sdk('stdio', '/stdio');
    return new StdioClientTransport({ command: where, args: ['mcp', '--no-audit-log'] });
  }
  const { StreamableHTTPClientTransport } = await sdk('streamableHttp');
  return new StreamableHTTPClientTransport(new URL(where), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
}

const transport = await connect();
const options = handshake ? {} : { versionNegotiation: { mode: 'auto' } };
const client = new Client({ name: 'test', version: '1' }, options);
await client.connect(transport);

const progress = [];
const note = { onprogress: (told) => progress.push(told.message) };
const { tools } = await client.listTools();
const run = (code, session_id, more) => {
  const call = { name: 'execute_python', arguments: session_id ? { code, session_id } : { code } };
  return handshake ? client.callTool(call, undefined, more) : client.callTool(call, more);
};

const first = await run('x = 40');
// Over stdio the session is the process's own.
const python = kind === 'http' ? first.structuredContent.session_id : undefined;
const value = await run('x + 2', python);
const unnamed = await run("'x' in globals()");
const chart = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2]);', python);
const error = await run('1 / 0', python);
await run("import time\nprint('tick'); time.sleep(0.5)", python, note);
const written = await run("open('out.txt', 'w').write('written');", python);
const link = written.content.find((block) => block.type === 'resource_link');
const file = await client.readResource({ uri: link.uri });
const version = handshake ? transport.protocolVersion : client.getNegotiatedProtocolVersion?.();
console.log(
  JSON.stringify({
    version: version ?? null,
    server: client.getServerVersion().name,
    tools: tools.map((tool) => tool.name),
    value: value.structuredContent.text,
    unnamed_knows_x: unnamed.structuredContent.text,
    kinds: chart.content.map((block) => block.type),
    is_error: error.isError,
    error_text: error.content[0].text,
    progress,
    file: file.contents[0].text,
  }),
);
if (handshake && kind === 'http') await transport.terminateSession();
await client.close();
