#!/bin/bash
# Carries out orders in the machine: scripts that appear in /shared/orders, one at a time, each with its answer beside it.
cd "$1"
export PYTHONDONTWRITEBYTECODE=1
echo HIL-AGENT ready >/dev/console
while sleep 0.1; do
    for order in /shared/orders/*.sh; do
        [ -e "$order" ] || continue
        bash "$order" >"$order.out" 2>&1 </dev/null
        echo $? >"$order.code"
        rm "$order"
        mv "$order.code" "$order.done"
    done
done
