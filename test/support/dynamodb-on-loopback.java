import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Starts DynamoDB Local on loopback only, at whichever port is free, and says which: by itself it listens on every
 * address, and a port that was free a moment ago may not be.
 */
class OnLoopback {
    public static void main(String[] arguments) throws Exception {
        var proxy = ServerRunner.createServerFromCommandLineArgs(arguments);
        var field = proxy.getClass().getDeclaredField("server");
        field.setAccessible(true);
        var connector = (ServerConnector) ((Server) field.get(proxy)).getConnectors()[0];
        connector.setHost("127.0.0.1");
        connector.setPort(0);
        proxy.start();
        System.out.println("port " + connector.getLocalPort());
        proxy.join();
    }
}
