/** Runs in the browser. Everything from the operator is put in as text, never as HTML: names in the API come from people. */
export const script = `
const el = (name, text, ...inner) => { const e = document.createElement(name); if (text) e.textContent = text; e.append(...inner); return e; };
const json = async (url, how) => { const r = await fetch(url, { ...how, headers: { accept: 'application/json', ...(how?.headers ?? {}) } }); const t = await r.text();
  let body = t; try { body = JSON.parse(t); } catch {} return { status: r.status, ok: r.ok, body }; };
const shown = (value) => typeof value === 'string' ? value : JSON.stringify(value, null, 2);

function template(schema, type = schema?.typeInfo, seen = []) {
  switch (type?.type) {
    case 'bool': return false;
    case 'int': case 'uint': case 'float': return 0;
    case 'string': return '';
    case 'array': return seen.length > 6 ? [] : [template(schema, type.elementType, [...seen, ''])];
    case 'map': return {};
    case 'struct': {
      if (seen.includes(type.structRef)) return null;
      const properties = schema.structs?.[type.structRef]?.properties ?? {};
      return Object.fromEntries(Object.entries(properties).map(([k, v]) => [k, template(schema, v, [...seen, type.structRef])]));
    }
    default: return null;
  }
}

function patternEntry(name, config) {
  const area = el('textarea'); area.rows = 8; area.spellcheck = false;
  area.value = JSON.stringify({ pattern: name, payload: template(config.requestSchema) }, null, 2);
  const curl = el('pre'), out = el('pre'), button = el('button', 'Send');
  const line = () => { curl.textContent = "curl -X POST " + location.origin + "/api/v1/commands -H 'content-type: application/json' -d '" + area.value.replaceAll("'", "'\\\\''").replace(/\\s*\\n\\s*/g, ' ') + "'"; };
  area.addEventListener('input', line); line();
  button.addEventListener('click', async () => {
    out.textContent = '…';
    const { status, body } = await json('/api/v1/commands', { method: 'POST', headers: { 'content-type': 'application/json' }, body: area.value });
    out.textContent = status + '\\n' + shown(body);
  });
  return el('details', '', el('summary', name), area, button, curl, out, el('h4', 'Answer'), el('pre', shown(config.responseSchema)));
}

function routeEntry(method, path, about) {
  const entry = el('details', '', el('summary', method.toUpperCase() + ' ' + path + ' — ' + (about.summary ?? '')));
  if (about.description) entry.append(el('p', about.description));
  const { tags, summary, description, ...rest } = about;
  entry.append(el('pre', shown(rest)));
  return entry;
}

const filter = document.getElementById('filter');
filter.addEventListener('input', () => {
  for (const e of document.querySelectorAll('details')) e.hidden = !e.firstChild.textContent.toLowerCase().includes(filter.value.toLowerCase());
});
const [api, spec] = await Promise.all([json('/api/v1/openapi.json'), json('/spec.yaml')]);
const routes = document.getElementById('routes'), patterns = document.getElementById('patterns');
if (api.ok) for (const [path, methods] of Object.entries(api.body.paths)) for (const [method, about] of Object.entries(methods)) routes.append(routeEntry(method, path, about));
else routes.append(el('p', shown(api.body)));
if (spec.ok) for (const [name, config] of Object.entries(spec.body)) patterns.append(patternEntry(name, config));
else patterns.append(el('p', spec.body?.error?.message ?? shown(spec.body)));
`;
