// The build puts this module in the place of "undici", whose own entry also loads fetch, WebSocket,
// caches and mocks: with those, each process that sends a request would start 10 ms later. The
// build fails if the source imports a name that is missing here.
const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");

// The same assignment as in undici's entry.
Object.assign(Dispatcher.prototype, {
  request: require("undici/lib/api/api-request.js"),
  connect: require("undici/lib/api/api-connect.js"),
});

exports.Agent = require("undici/lib/dispatcher/agent.js");
exports.Pool = require("undici/lib/dispatcher/pool.js");
exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");

exports.request = (url, { dispatcher = new exports.Agent(), ...options }) => {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: pathname + search });
};
