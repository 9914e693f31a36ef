// Run by the tests from a folder with the SDK in node_modules: what a client sees, as JSON.
//   node typescript.mjs ERA CELLBLOCK
const [, , era, binary] = process.argv;
const handshake = era === 'handshake';
const { Client } = await import(
  handshake ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client'
);
const { StdioClientTransport } = await import(
  handshake ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio'
);

const transport = new StdioClientTransport({ command: binary, args: ['mcp', '--no-audit-log'] });
const options = handshake ? {} : { versionNegotiation: { mode: 'auto' } };
const client = new Client({ name: 'test', version: '1' }, options);
await client.connect(transport);

const progress = [];
const note = { onprogress: (told) => progress.push(told.message) };
const { tools } = await client.listTools();
const run = (code, more) => {
  const call = { name: 'execute_python', arguments: { code } };
  return handshake ? client.callTool(call, undefined, more) : client.callTool(call, more);
};

await run('x = 40');
const value = await run('x + 2');
const chart = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2]);');
const error = await run('1 / 0');
await run("import time\nprint('tick'); time.sleep(0.5)", note);
const written = await run("open('out.txt', 'w').write('written');");
const link = written.content.find((block) => block.type === 'resource_link');
const file = await client.readResource({ uri: link.uri });
const version = handshake ? transport.protocolVersion : client.getNegotiatedProtocolVersion?.();
console.log(
  JSON.stringify({
    version: version ?? null,
    server: client.getServerVersion().name,
    tools: tools.map((tool) => tool.name),
    value: value.structuredContent.text,
    kinds: chart.content.map((block) => block.type),
    is_error: error.isError,
    error_text: error.content[0].text,
    progress,
    file: file.contents[0].text,
  }),
);
await client.close();
