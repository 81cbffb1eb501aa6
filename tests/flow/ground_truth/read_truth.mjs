// What Mermaid's and D2's own parsers read in our charts. Run by hand; README.md says how.
//   node read_truth.mjs mermaid|d2 CHARTS.txt OUT.json
// A charts file holds charts parted by lines `=== name`.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [kind, chartsFile, outFile] = process.argv.slice(2);
const require = createRequire(process.env.TRUTH_MODULES + '/package.json');
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

function charts() {
  const found = [];
  for (const part of fs.readFileSync(chartsFile, 'utf8').split(/^=== /m).slice(1)) {
    const end = part.indexOf('\n');
    let text = part.slice(end + 1);
    // Characters that an editor would not keep: \u escapes at the places marked with a pilcrow.
    text = text.replace(/¶([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
    found.push({ name: part.slice(0, end).trim(), text });
  }
  return found;
}

async function mermaidReader() {
  const { JSDOM } = await load('jsdom');
  const dom = new JSDOM('<!doctype html><body></body>');
  globalThis.window = dom.window;
  globalThis.document = dom.window.document;
  globalThis.Element = dom.window.Element;
  const mermaid = (await import(pathToFileURL(process.env.TRUTH_MODULES + '/node_modules/mermaid/dist/mermaid.core.mjs').href)).default;
  mermaid.initialize({ startOnLoad: false, maxEdges: 1000000, maxTextSize: 10000000 });
  return async (text) => {
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    if (!diagram.type.startsWith('flowchart')) throw new Error('not a flowchart: ' + diagram.type);
    const decode = (t) => (t ?? '').toString().replace(/ﬂ°°/g, '&#').replace(/ﬂ°/g, '&').replace(/¶ß/g, ';');
    return {
      nodes: [...diagram.db.getVertices().values()].map((v) => ({ id: decode(v.id), label: decode(v.text) })),
      edges: diagram.db.getEdges().map((e) => ({ src: decode(e.start), dst: decode(e.end), label: decode(e.text) || null, type: e.type })),
    };
  };
}

async function d2Reader() {
  const { D2 } = await import(pathToFileURL(process.env.TRUTH_MODULES + '/node_modules/@terrastruct/d2/dist/node-esm/index.js').href);
  const d2 = new D2();
  return async (text) => {
    const { diagram } = await d2.compile({ fs: { index: text }, options: { layout: 'dagre' } });
    return {
      nodes: (diagram.shapes ?? []).map((s) => ({ id: s.id, label: s.label })),
      edges: (diagram.connections ?? []).map((c) => {
        const backward = c.srcArrow !== 'none' && c.dstArrow === 'none';
        return { src: backward ? c.dst : c.src, dst: backward ? c.src : c.dst, label: c.label || null };
      }),
    };
  };
}

const read = await (kind === 'd2' ? d2Reader() : mermaidReader());
const out = [];
for (const { name, text } of charts()) {
  try {
    out.push({ name, text, truth: await read(text) });
  } catch (error) {
    out.push({ name, text, error: String(error.message ?? error).split('\n')[0].slice(0, 200) });
  }
}
fs.writeFileSync(outFile, JSON.stringify(out, null, 1) + '\n');
console.log(kind, out.length, 'charts,', out.filter((c) => c.error).length, 'refused');
process.exit(0);
