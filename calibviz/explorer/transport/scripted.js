// What all our scripts share: each of them stands below these lines, in one module.

// A widget's script that hears its kernel for as long as its page is open. anywidget gives a script two seconds to
// begin; on a slow page that takes longer, it drops whatever the kernel sends to that widget from then on.
function heard(script) {
  return {
    ...script,
    initialize(context) {
      const hears = keepHearing(context.model).catch(console.error);
      return script.initialize?.({ ...context, hears });
    },
  };
}

async function keepHearing(model) {
  const whole = await model.widget_manager.get_model?.(model.get("me"));
  if (!whole?.comm_live || !whole.comm.on_msg) return; // saved with its page, or a manager that we do not know
  try {
    await whole._handle_comm_msg({ content: { data: {} } }); // anywidget takes messages in order, this empty one too
  } catch {
    const { _handle_comm_msg: take } = Object.getPrototypeOf(whole.constructor.prototype);
    whole.comm.on_msg((message) => take.call(whole, message));
    whole.comm.send({ method: "request_state" }, whole.callbacks?.()); // what was dropped so far
  }
}
